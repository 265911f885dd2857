#include "ops/detail/edge_softmax.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/edge_ops.h"

namespace ordered_gnn::cuda {
namespace {

ScoreRows rows_of_scores(const at::Tensor& rowptr, const at::Tensor& score) {
  return {rowptr.data_ptr<int64_t>(), rowptr.numel() - 1,
          static_cast<int>(detail::heads_of(score))};
}

at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  detail::check_edge_softmax(rowptr, score);
  const OnDevice device(score);
  const at::Tensor scores = score.contiguous();
  const at::Tensor out = at::empty_like(scores);
  AT_DISPATCH_FLOATING_TYPES(score.scalar_type(), "edge_softmax", [&] {
    C10_CUDA_CHECK(launch_edge_softmax(
        rows_of_scores(rowptr, scores), scores.data_ptr<scalar_t>(),
        out.data_ptr<scalar_t>(), device.stream()));
  });
  return out;
}

at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out,
                                 const at::Tensor& grad) {
  const OnDevice device(grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor grad_score = at::empty_like(grads);
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "edge_softmax", [&] {
    C10_CUDA_CHECK(launch_edge_softmax_backward(
        rows_of_scores(rowptr, grads), out.data_ptr<scalar_t>(),
        grads.data_ptr<scalar_t>(), grad_score.data_ptr<scalar_t>(),
        device.stream()));
  });
  return grad_score;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("edge_softmax", edge_softmax);
  m.impl("edge_softmax_backward", edge_softmax_backward);
}

}  // namespace ordered_gnn::cuda
