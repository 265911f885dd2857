#include "ops/detail/weighted_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/head_kernel.h"
#include "ops/cpu/kernels/head_undo_kernel.h"
#include "ops/cpu/row_sum.h"
#include "ops/detail/arguments.h"
#include "ops/detail/edge_dot.h"

namespace ordered_gnn::cpu {
namespace {

// Sums weight[e, i] * h[col, i] over the entries e of every row for all heads
// i, the weights being [E, H].
at::Tensor weighted_heads(const at::Tensor& rowptr, const at::Tensor& col,
                          const at::Tensor& weight, const at::Tensor& h) {
  const at::Tensor source = h.contiguous();
  const at::Tensor weights = weight.contiguous();
  const at::Tensor out = at::empty_like(source);
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "weighted_aggregate", [&] {
      kernels::HeadSum<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.weight = weights.data_ptr<scalar_t>();
      job.h = source.data_ptr<scalar_t>();
      job.out = out.data_ptr<scalar_t>();
      job.heads = weights.size(1);
      job.head_dim = source.size(1) / job.heads;
      parallel_rows(job.rowptr, source.size(0),
                    [&](int64_t begin, int64_t end) {
                      ORDERED_GNN_SIMD_CALL(head_sum(job, begin, end));
                    });
    });
  });
  return out;
}

// Sums weight[e] * h[col] over the entries e of every row.
at::Tensor weighted_rows(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& weight, const at::Tensor& h) {
  if (weight.dim() == 2 && weight.size(1) > 1) {
    return weighted_heads(rowptr, col, weight, h);
  }
  const at::Tensor source = h.contiguous();
  const at::Tensor weights = weight.contiguous();
  const at::Tensor out = at::empty_like(source);
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "weighted_aggregate", [&] {
      auto job = row_sum_job<scalar_t, index_t>(rowptr, col, source, out);
      job.edge_weight = weights.data_ptr<scalar_t>();
      run_row_sum(job, source.size(0));
    });
  });
  return out;
}

at::Tensor edge_products(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& grad, const at::Tensor& h) {
  const at::Tensor source = h.contiguous();
  const at::Tensor grads = grad.contiguous();
  const at::Tensor out = at::empty({col.numel()}, h.options());
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "weighted_aggregate", [&] {
      kernels::EdgeDot<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.grad = grads.data_ptr<scalar_t>();
      job.h = source.data_ptr<scalar_t>();
      job.dot = out.data_ptr<scalar_t>();
      job.dim = source.size(1);
      parallel_rows(job.rowptr, source.size(0),
                    [&](int64_t begin, int64_t end) {
                      ORDERED_GNN_SIMD_CALL(edge_dot(job, begin, end));
                    });
    });
  });
  return out;
}

at::Tensor head_products(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& a, const at::Tensor& b,
                         int64_t heads) {
  if (heads == 1) return edge_products(rowptr, col, a, b).unsqueeze(1);
  const at::Tensor rows = a.contiguous();
  const at::Tensor source = b.contiguous();
  const at::Tensor out = at::empty({col.numel(), heads}, b.options());
  AT_DISPATCH_FLOATING_TYPES(b.scalar_type(), "edge_dot", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "edge_dot", [&] {
      kernels::HeadDot<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.a = rows.data_ptr<scalar_t>();
      job.b = source.data_ptr<scalar_t>();
      job.dot = out.data_ptr<scalar_t>();
      job.heads = heads;
      job.head_dim = source.size(1) / heads;
      parallel_rows(job.rowptr, source.size(0),
                    [&](int64_t begin, int64_t end) {
                      ORDERED_GNN_SIMD_CALL(head_dot(job, begin, end));
                    });
    });
  });
  return out;
}

at::Tensor weighted_aggregate(
    const detail::WeightedAggregateArguments& arguments) {
  detail::check_weighted_aggregate(arguments);
  return weighted_rows(arguments.lists.rowptr, arguments.lists.col,
                       arguments.weight, arguments.h);
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward(
    const detail::WeightedAggregateBackwardArguments& arguments) {
  const detail::WeightedAggregateArguments& forward = arguments.forward;
  const detail::EdgeLists& lists = forward.lists;
  detail::check_weighted_aggregate(forward);
  const at::Tensor weights = forward.weight.contiguous();
  const at::Tensor source = forward.h.contiguous();
  const at::Tensor grads = arguments.grad.contiguous();
  const at::Tensor grad_weight = at::empty_like(weights);
  const at::Tensor grad_h = at::empty_like(source);
  AT_DISPATCH_FLOATING_TYPES(source.scalar_type(), "weighted_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(
        lists.t_col.scalar_type(), "weighted_aggregate", [&] {
          kernels::HeadUndo<scalar_t, index_t> job;
          job.rowptr = lists.t_rowptr.data_ptr<int64_t>();
          job.col = lists.t_col.data_ptr<index_t>();
          job.edge_of = lists.t_edge.data_ptr<int64_t>();
          job.weight = weights.data_ptr<scalar_t>();
          job.h = source.data_ptr<scalar_t>();
          job.grad = grads.data_ptr<scalar_t>();
          job.grad_weight = grad_weight.data_ptr<scalar_t>();
          job.grad_h = grad_h.data_ptr<scalar_t>();
          job.heads = weights.dim() == 2 ? weights.size(1) : 1;
          job.head_dim = source.size(1) / job.heads;
          parallel_rows(job.rowptr, source.size(0),
                        [&](int64_t begin, int64_t end) {
                          ORDERED_GNN_SIMD_CALL(head_undo(job, begin, end));
                        });
        });
  });
  return {grad_weight, grad_h};
}

at::Tensor edge_dot(const detail::EdgeDotArguments& arguments) {
  detail::check_edge_dot(arguments);
  return head_products(arguments.lists.rowptr, arguments.lists.col, arguments.a,
                       arguments.b, arguments.heads);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("weighted_aggregate", detail::registered<weighted_aggregate>);
  m.impl("weighted_aggregate_backward",
         detail::registered<weighted_aggregate_backward>);
  m.impl("edge_dot", detail::registered<edge_dot>);
}

}  // namespace ordered_gnn::cpu
