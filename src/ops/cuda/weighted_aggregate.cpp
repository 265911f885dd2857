#include "ops/detail/weighted_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/edge_ops.h"
#include "ops/cuda/sums.h"
#include "ops/detail/edge_dot.h"

namespace ordered_gnn::cuda {
namespace {

// Sums weight[edge, i] * h[col, i] over every row for all heads i, the weights
// being [E, H].
at::Tensor weighted_heads(const at::Tensor& rowptr, const at::Tensor& col,
                          const at::Tensor& edge, const at::Tensor& weight,
                          const at::Tensor& h) {
  const OnDevice device(h);
  const at::Tensor source = h.contiguous();
  const at::Tensor weights = weight.contiguous();
  const at::Tensor out = at::empty_like(source);
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "weighted_aggregate", [&] {
      HeadSum<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.weight = weights.data_ptr<scalar_t>();
      job.edge_of = pointer_of<int64_t>(edge);
      job.h = source.data_ptr<scalar_t>();
      job.out = out.data_ptr<scalar_t>();
      job.rows = source.size(0);
      job.dim = width_of(source);
      job.heads = width_of(weights);
      C10_CUDA_CHECK(launch_head_sum(job, device.stream()));
    });
  });
  return out;
}

// Sums weight[edge] * h[col] over every row; `edge` undefined = list order.
at::Tensor weighted_rows(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& edge, const at::Tensor& weight,
                         const at::Tensor& h) {
  if (weight.dim() == 2 && weight.size(1) > 1) {
    return weighted_heads(rowptr, col, edge, weight, h);
  }
  const at::Tensor source = h.contiguous();
  const at::Tensor out = at::empty_like(source);
  list_sum({rowptr, col, {}, {}, weight.contiguous(), edge}, source, out);
  return out;
}

at::Tensor edge_products(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& grad, const at::Tensor& h,
                         int64_t heads) {
  const OnDevice device(h);
  const at::Tensor source = h.contiguous();
  const at::Tensor grads = grad.contiguous();
  // What is behind the last row of a list of drop_edges() may be summed over.
  const at::Tensor out = at::zeros({col.numel(), heads}, h.options());
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "weighted_aggregate", [&] {
      EdgeDot<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.grad = grads.data_ptr<scalar_t>();
      job.h = source.data_ptr<scalar_t>();
      job.dot = out.data_ptr<scalar_t>();
      job.rows = source.size(0);
      job.dim = width_of(source);
      job.heads = static_cast<int>(heads);
      C10_CUDA_CHECK(launch_edge_dot(job, device.stream()));
    });
  });
  return out;
}

at::Tensor weighted_aggregate(
    const detail::WeightedAggregateArguments& arguments) {
  detail::check_weighted_aggregate(arguments);
  const OnDevice device(arguments.h);
  return weighted_rows(arguments.lists.rowptr, arguments.lists.col, {},
                       arguments.weight, arguments.h);
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward(
    const detail::WeightedAggregateBackwardArguments& arguments) {
  const detail::WeightedAggregateArguments& forward = arguments.forward;
  const detail::EdgeLists& lists = forward.lists;
  const at::Tensor& weight = forward.weight;
  detail::check_weighted_aggregate(forward);
  const OnDevice device(forward.h);
  const int64_t heads = weight.dim() == 2 ? weight.size(1) : 1;
  return {
      edge_products(lists.rowptr, lists.col, arguments.grad, forward.h, heads)
          .view_as(weight),
      weighted_rows(lists.t_rowptr, lists.t_col, lists.t_edge, weight,
                    arguments.grad)};
}

at::Tensor edge_dot(const detail::EdgeDotArguments& arguments) {
  detail::check_edge_dot(arguments);
  return edge_products(arguments.lists.rowptr, arguments.lists.col, arguments.a,
                       arguments.b, arguments.heads);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("weighted_aggregate", detail::registered<weighted_aggregate>);
  m.impl("weighted_aggregate_backward",
         detail::registered<weighted_aggregate_backward>);
  m.impl("edge_dot", detail::registered<edge_dot>);
}

}  // namespace ordered_gnn::cuda
