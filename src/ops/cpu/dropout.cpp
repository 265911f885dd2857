#include "ops/detail/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "core/recycled_tensor.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/detail/checks.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

constexpr int64_t kElementsPerTask = 1 << 16;

at::Tensor dropout(const detail::DropoutArguments& arguments) {
  const at::Tensor& x = arguments.x;
  detail::check_dropout(arguments.dropout, x.device());
  detail::check_float("dropout", "x", x);
  const at::Tensor values = x.contiguous();
  const at::Tensor out = core::recycled_like(values);
  const kernels::DropoutMask mask(arguments.dropout.mask_key(),
                                  arguments.dropout.p);
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

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("dropout", detail::registered<dropout>);
}

}  // namespace ordered_gnn::cpu
