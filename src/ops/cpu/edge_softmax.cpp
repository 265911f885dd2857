// Work split: rows balanced by edges; a row's edges belong to one task.
// Memory: scores are read twice from cache and written once.
// Determinism: sums run in list order.
#include "ops/detail/edge_softmax.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cpu/blocks.h"
#include "ops/cpu/kernels/head_kernel.h"

namespace ordered_gnn::cpu {
namespace {

at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  detail::check_edge_softmax(rowptr, score);
  const at::Tensor scores = score.contiguous();
  const at::Tensor out = at::empty_like(scores);
  const int64_t heads = detail::heads_of(score);
  const int64_t* const first = rowptr.data_ptr<int64_t>();
  AT_DISPATCH_FLOATING_TYPES(score.scalar_type(), "edge_softmax", [&] {
    const scalar_t* const in = scores.data_ptr<scalar_t>();
    scalar_t* const result = out.data_ptr<scalar_t>();
    parallel_rows(first, rowptr.numel() - 1, [&](int64_t begin, int64_t end) {
      ORDERED_GNN_SIMD_CALL(head_softmax(first, begin, end, in, heads, result));
    });
  });
  return out;
}

at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out,
                                 const at::Tensor& grad) {
  detail::check_edge_softmax(rowptr, grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor grad_score = at::empty_like(grads);
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "edge_softmax", [&] {
    kernels::HeadSoftmaxBackward<scalar_t> job;
    job.rowptr = rowptr.data_ptr<int64_t>();
    job.out = out.data_ptr<scalar_t>();
    job.grad = grads.data_ptr<scalar_t>();
    job.grad_score = grad_score.data_ptr<scalar_t>();
    job.heads = detail::heads_of(grad);
    parallel_rows(
        job.rowptr, rowptr.numel() - 1, [&](int64_t begin, int64_t end) {
          ORDERED_GNN_SIMD_CALL(head_softmax_backward(job, begin, end));
        });
  });
  return grad_score;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("edge_softmax", edge_softmax);
  m.impl("edge_softmax_backward", edge_softmax_backward);
}

}  // namespace ordered_gnn::cpu
