#include "ops/detail/max_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/edge_ops.h"
#include "ops/detail/checks.h"

namespace ordered_gnn::cuda {
namespace {

std::tuple<at::Tensor, at::Tensor> max_aggregate(const at::Tensor& rowptr,
                                                 const at::Tensor& col,
                                                 const at::Tensor& /*t_rowptr*/,
                                                 const at::Tensor& /*t_col*/,
                                                 const at::Tensor& h) {
  detail::check_rows("max_aggregate", rowptr, col, h);
  const OnDevice device(h);
  const at::Tensor source = h.contiguous();
  const at::Tensor out = at::empty_like(source);
  const at::Tensor winner = at::empty(source.sizes(), col.options());
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "max_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "max_aggregate", [&] {
      RowMax<scalar_t, index_t> job;
      job.rowptr = rowptr.data_ptr<int64_t>();
      job.col = col.data_ptr<index_t>();
      job.h = source.data_ptr<scalar_t>();
      job.out = out.data_ptr<scalar_t>();
      job.winner = winner.data_ptr<index_t>();
      job.rows = source.size(0);
      job.dim = width_of(source);
      C10_CUDA_CHECK(launch_row_max(job, device.stream()));
    });
  });
  return {out, winner};
}

at::Tensor max_aggregate_backward(const at::Tensor& t_rowptr,
                                  const at::Tensor& t_col,
                                  const at::Tensor& winner,
                                  const at::Tensor& grad) {
  detail::check_rows("max_aggregate_backward", t_rowptr, t_col, grad);
  const OnDevice device(grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor out = at::empty_like(grads);
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "max_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(t_col.scalar_type(), "max_aggregate", [&] {
      RowMaxBackward<scalar_t, index_t> job;
      job.t_rowptr = t_rowptr.data_ptr<int64_t>();
      job.t_col = t_col.data_ptr<index_t>();
      job.winner = winner.data_ptr<index_t>();
      job.grad = grads.data_ptr<scalar_t>();
      job.out = out.data_ptr<scalar_t>();
      job.rows = grads.size(0);
      job.dim = width_of(grads);
      C10_CUDA_CHECK(launch_row_max_backward(job, device.stream()));
    });
  });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("max_aggregate", max_aggregate);
  m.impl("max_aggregate_backward", max_aggregate_backward);
}

}  // namespace ordered_gnn::cuda
