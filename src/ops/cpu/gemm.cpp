// Work split: row blocks of a size set by the number of rows alone.
// Memory: a block of the output stays in cache while both operands stream.
// Determinism: one serial BLAS call per block, fixed order across blocks.
#include "ops/cpu/gemm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>
#include <vector>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

// Large enough for BLAS to run at full speed, small enough for the blocks of a
// small graph to occupy two threads.
constexpr int64_t kProductRows = 512;
constexpr int64_t kMaxChunks = 16;

// Worker threads start with autograd on and inference mode off, whatever the
// caller has; without this guard they would record the products, and refuse to
// write to a tensor made in inference mode.
using BelowAutograd = at::AutoDispatchBelowADInplaceOrView;

int64_t chunk_rows(int64_t rows) {
  const int64_t even = (rows + kMaxChunks - 1) / kMaxChunks;
  return std::max<int64_t>(1024, even);
}

}  // namespace

void add_product(const at::Tensor& x, const at::Tensor& weight,
                 at::Tensor& out) {
  const at::Tensor transposed = weight.t();
  parallel_ranges(x.size(0), kProductRows, [&](int64_t begin, int64_t end) {
    const BelowAutograd below_autograd;
    out.slice(0, begin, end).addmm_(x.slice(0, begin, end), transposed);
  });
}

at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  const at::Tensor out =
      at::empty({grad.size(0), weight.size(1)}, grad.options());
  parallel_ranges(grad.size(0), kProductRows, [&](int64_t begin, int64_t end) {
    const BelowAutograd below_autograd;
    at::Tensor block = out.slice(0, begin, end);
    at::mm_out(block, grad.slice(0, begin, end), weight);
  });
  return out;
}

void weight_gradient(const at::Tensor& grad, const at::Tensor& x,
                     at::Tensor& out) {
  const int64_t rows = grad.size(0);
  const int64_t chunk = chunk_rows(rows);
  const int64_t num_chunks = (rows + chunk - 1) / chunk;
  if (num_chunks == 0) {
    out.zero_();
    return;
  }
  std::vector<at::Tensor> partial(num_chunks);
  parallel_ranges(rows, chunk, [&](int64_t begin, int64_t end) {
    const BelowAutograd below_autograd;
    partial[begin / chunk] =
        at::mm(grad.slice(0, begin, end).t(), x.slice(0, begin, end));
  });
  out.copy_(partial[0]);
  for (int64_t i = 1; i < num_chunks; ++i) out.add_(partial[i]);
}

at::Tensor column_sums(const at::Tensor& x) {
  const int64_t rows = x.size(0);
  const int64_t dim = x.size(1);
  const int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  const at::Tensor values = x.contiguous();
  const at::Tensor partial = at::zeros({blocks, dim}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "column_sums", [&] {
    const scalar_t* const in = values.data_ptr<scalar_t>();
    scalar_t* const sums = partial.data_ptr<scalar_t>();
    parallel_ranges(rows, kRowBlock, [&](int64_t begin, int64_t end) {
      ORDERED_GNN_SIMD_CALL(
          add_column_sums(in, dim, begin, end, sums + begin / kRowBlock * dim));
    });
  });
  return partial.sum(0);
}

}  // namespace ordered_gnn::cpu
