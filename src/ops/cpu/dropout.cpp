#include "ops/detail/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/detail/checks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kElementsPerTask = 1 << 16;

at::Tensor dropout(const at::Tensor& x, double p, int64_t seed, int64_t step,
                   int64_t site) {
  detail::check_dropout(p);
  detail::check_float("dropout", "x", x);
  const at::Tensor values = x.contiguous();
  const at::Tensor out = at::empty_like(values);
  const kernels::DropoutMask mask({seed, step, site}, p);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "dropout", [&] {
    const scalar_t* const in = values.data_ptr<scalar_t>();
    scalar_t* const result = out.data_ptr<scalar_t>();
    parallel_ranges(
        values.numel(), kElementsPerTask, [&](int64_t begin, int64_t end) {
          ORDERED_GNN_SIMD_CALL(
              dropout(mask, in + begin, result + begin, begin, end - begin));
        });
  });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) { m.impl("dropout", dropout); }

}  // namespace ordered_gnn::cpu
