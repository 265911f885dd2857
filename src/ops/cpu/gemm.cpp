// Work split: row blocks of a size set by the shapes alone; for the
// weight's gradient chunks of rows and strips of columns.
// Memory: a block of rows and the weight stay in cache; nothing is copied but
// the weight, once.
// Determinism: every block is summed in a fixed order, partial sums of the
// weight's gradient are added in order.
#include "ops/cpu/gemm.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>

#include <algorithm>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/products.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/chunk_shares.h"
#include "ops/cpu/kernels/norm_kernel.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

// Rows of a block: few, so that many threads end at about the same time, but
// where b is no tile of registers wide it is copied for every block.
constexpr int64_t kProductRows = 96, kCopiedProductRows = 256;
constexpr int64_t kTransposedPerBlock = 1 << 12;
// Columns that are transposed together: a line of the cache or two.
constexpr int64_t kTransposedTogether = 16;
// Chunks of rows are few: columns of a weight's gradient, which do not know of
// each other, share them out further.
constexpr int64_t kStripColumns = 128;

// What c holds before a product is added to it.
enum class Start { as_it_is, zeros, bias };

template <typename T>
void start_rows(Start start, const at::Tensor& bias, int64_t rows,
                int64_t columns, T* c) {
  if (start == Start::zeros) std::fill(c, c + rows * columns, T(0));
  if (start != Start::bias) return;
  const T* const values = bias.data_ptr<T>();
  for (int64_t row = 0; row < rows; ++row) {
    std::copy(values, values + columns, c + row * columns);
  }
}

// c[N, O] = start + a[N, I] * b[I, O] in parallel blocks of rows, which are
// still in cache from the start when the product is added.
void add_row_blocks(const at::Tensor& a, const at::Tensor& b,
                    const at::Tensor& c, Start start,
                    const at::Tensor& bias = {}) {
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "product", [&] {
    kernels::Product<scalar_t> whole;
    whole.columns = b.size(1);
    whole.depth = b.size(0);
    whole.a_row = a.size(1);
    whole.a_depth = 1;
    whole.b = b.data_ptr<scalar_t>();
    whole.b_row = b.stride(0);
    whole.c_row = c.size(1);
    const scalar_t* const from = a.data_ptr<scalar_t>();
    scalar_t* const to = c.data_ptr<scalar_t>();
    int64_t tile = 0;
    ORDERED_GNN_SIMD_CALL(find_tile_columns<scalar_t>(&tile));
    const int64_t rows =
        whole.b_row == tile ? kProductRows : kCopiedProductRows;
    parallel_ranges(a.size(0), rows, [&](int64_t begin, int64_t end) {
      kernels::Product<scalar_t> block = whole;
      block.rows = end - begin;
      block.a = from + begin * whole.a_row;
      block.c = to + begin * whole.c_row;
      start_rows(start, bias, block.rows, whole.columns, block.c);
      ORDERED_GNN_SIMD_CALL(add_product(block));
    });
  });
}

// A matrix whose rows are contiguous, copied only when they are not.
at::Tensor with_rows(const at::Tensor& matrix) {
  return matrix.stride(1) == 1 ? matrix : matrix.contiguous();
}

}  // namespace

at::Tensor transposed(const at::Tensor& weight) {
  const at::Tensor from = with_rows(weight);
  const int64_t rows = weight.size(0), columns = weight.size(1);
  const at::Tensor out = at::empty({columns, rows}, weight.options());
  const int64_t block = std::max<int64_t>(
      kTransposedTogether, kTransposedPerBlock / std::max<int64_t>(1, rows) /
                               kTransposedTogether * kTransposedTogether);
  AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "transposed", [&] {
    const scalar_t* const in = from.data_ptr<scalar_t>();
    scalar_t* const to = out.data_ptr<scalar_t>();
    const int64_t row = from.stride(0);
    parallel_ranges(columns, block, [&](int64_t begin, int64_t end) {
      for (int64_t first = begin; first < end; first += kTransposedTogether) {
        const int64_t stop = std::min(end, first + kTransposedTogether);
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = first; c < stop; ++c) {
            to[c * rows + r] = in[r * row + c];
          }
        }
      }
    });
  });
  return out;
}

void add_product(const at::Tensor& x, const at::Tensor& weight,
                 at::Tensor& out) {
  add_row_blocks(x, transposed(weight), out, Start::as_it_is);
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  const at::Tensor out =
      core::recycled_empty({x.size(0), weight.size(0)}, x.options());
  add_row_blocks(x, transposed(weight), out, Start::bias, bias.contiguous());
  return out;
}

at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  const at::Tensor out =
      core::recycled_empty({grad.size(0), weight.size(1)}, grad.options());
  add_row_blocks(grad, with_rows(weight), out, Start::zeros);
  return out;
}

void weight_gradient(const at::Tensor& grad, const at::Tensor& x,
                     at::Tensor& out) {
  const int64_t rows = grad.size(0), columns = x.size(1);
  const int64_t chunk = chunk_rows(rows);
  const int64_t num_chunks = (rows + chunk - 1) / chunk;
  const int64_t strips = (columns + kStripColumns - 1) / kStripColumns;
  const at::Tensor partial =
      zero_shares({num_chunks, grad.size(1), columns}, grad.options());
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "product", [&] {
    const scalar_t* const g = grad.data_ptr<scalar_t>();
    const scalar_t* const from = x.data_ptr<scalar_t>();
    scalar_t* const sums = partial.data_ptr<scalar_t>();
    parallel_blocks(num_chunks * strips, [&](int64_t block) {
      const int64_t begin = block / strips * chunk;
      const int64_t first = block % strips * kStripColumns;
      kernels::Product<scalar_t> part;
      part.rows = grad.size(1);
      part.columns = std::min(kStripColumns, columns - first);
      part.depth = std::min(chunk, rows - begin);
      part.a = g + begin * part.rows;
      part.a_row = 1;
      part.a_depth = part.rows;
      part.b = from + begin * columns + first;
      part.b_row = columns;
      part.c = sums + begin / chunk * part.rows * columns + first;
      part.c_row = columns;
      ORDERED_GNN_SIMD_CALL(add_product(part));
    });
  });
  out.copy_(sum_of_shares(partial));
}

at::Tensor column_sums(const at::Tensor& x) {
  if (x.scalar_type() == at::kBFloat16) return bf16::column_sums(x);
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
