#include "ops/cuda/kernels/rows/dropout.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/drop_rows.h"
#include "ops/detail/checks.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::cuda {

bool tells_nodes(const detail::Dropout& dropout) {
  return dropout.p > 0 && dropout.step_tensor.has_value() &&
         dropout.step_tensor->numel() > 1;
}

void drop_rows(const detail::Dropout& dropout, const at::Tensor& x,
               const at::Tensor& out) {
  const OnDevice device(x);
  const int64_t rows = x.size(0);
  const DropoutMask mask = mask_of(dropout);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, x.scalar_type(), "dropout", [&] {
        DropoutRows<Kernel<scalar_t>> job;
        job.nodes = dropout.nodes(rows);
        job.x = rows_of<scalar_t>(x);
        job.out = rows_of<scalar_t>(out);
        job.rows = rows;
        job.dim = rows > 0 ? width_of(x.reshape({rows, -1})) : 0;
        C10_CUDA_CHECK(launch_dropout_rows(mask, job, device.stream()));
      });
}

namespace {

at::Tensor dropout(const detail::DropoutArguments& arguments) {
  const at::Tensor& x = arguments.x;
  detail::check_dropout(arguments.dropout, x.device());
  detail::check_rows_type("dropout", "x", x);
  const OnDevice device(x);
  const at::Tensor values = x.contiguous();
  const at::Tensor out = fresh_like(values);
  if (values.dim() > 0 && tells_nodes(arguments.dropout)) {
    drop_rows(arguments.dropout, values, out);
    return out;
  }
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
