#include "ops/detail/scaled_aggregate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

at::Tensor scaled_aggregate(const detail::ScaledAggregateArguments& arguments) {
  detail::check_scaled_aggregate(arguments.lists, arguments.h);
  const OnDevice device(arguments.h);
  const at::Tensor source = arguments.h.contiguous();
  // Rows of h behind those of the lists only send.
  const at::Tensor out = at::empty(
      {arguments.lists.rowptr.numel() - 1, source.size(1)}, source.options());
  list_sum(sum_over(arguments.lists), source, out);
  return out;
}

at::Tensor propagation_step(const detail::PropagationStepArguments& arguments) {
  detail::check_scaled_aggregate(arguments.lists, arguments.h);
  const OnDevice device(arguments.h);
  const at::Tensor out = arguments.start.contiguous() * arguments.share;
  list_sum(sum_over(arguments.lists), arguments.h.contiguous(), out,
           /*before=*/out);
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("scaled_aggregate", detail::registered<scaled_aggregate>);
  m.impl("propagation_step", detail::registered<propagation_step>);
}

}  // namespace ordered_gnn::cuda
