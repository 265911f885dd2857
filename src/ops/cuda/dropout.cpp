#include "ops/cuda/kernels/rows/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/detail/checks.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cuda {
namespace {

at::Tensor dropout(const detail::DropoutArguments& arguments) {
  const at::Tensor& x = arguments.x;
  detail::check_dropout(arguments.dropout, x.device());
  detail::check_rows_type("dropout", "x", x);
  const OnDevice device(x);
  const at::Tensor values = x.contiguous();
  const at::Tensor out = at::empty_like(values);
  const DropoutMask mask = mask_of(arguments.dropout);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "dropout", [&] {
        C10_CUDA_CHECK(launch_dropout(mask, rows_of<scalar_t>(values),
                                      rows_of<scalar_t>(out), values.numel(),
                                      device.stream()));
      });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("dropout", detail::registered<dropout>);
}

}  // namespace ordered_gnn::cuda
