#include "ops/cuda/kernels/rows/cross_entropy.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/detail/cross_entropy.h"

namespace ordered_gnn::cuda {
namespace {

// All three are contiguous. T is LibTorch's type of the logits.
template <typename T>
CrossEntropy<Kernel<T>> job_of(const at::Tensor& logits,
                               const at::Tensor& nodes,
                               const at::Tensor& labels) {
  CrossEntropy<Kernel<T>> job;
  job.logits = rows_of<T>(logits);
  job.nodes = nodes.data_ptr<int64_t>();
  job.labels = labels.data_ptr<int64_t>();
  job.rows = logits.size(0);
  job.count = nodes.size(0);
  job.classes = width_of(logits);
  return job;
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels) {
  detail::check_cross_entropy(logits, nodes, labels);
  const OnDevice device(logits);
  const at::Tensor rows = logits.contiguous();
  const at::Tensor index = nodes.contiguous();
  const at::Tensor truth = labels.contiguous();
  const bool is_half = logits.scalar_type() == at::kBFloat16;
  const at::Tensor loss = at::empty(
      {}, is_half ? logits.options().dtype(at::kFloat) : logits.options());
  const at::Tensor partial =
      at::empty({cross_entropy_blocks(nodes.size(0), width_of(logits))},
                logits.options().dtype(at::kDouble));
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, logits.scalar_type(), "cross_entropy", [&] {
        C10_CUDA_CHECK(launch_cross_entropy(
            job_of<scalar_t>(rows, index, truth), partial.data_ptr<double>(),
            loss.data_ptr<Compute<Kernel<scalar_t>>>(), device.stream()));
      });
  return loss;
}

at::Tensor cross_entropy_backward(const at::Tensor& grad,
                                  const at::Tensor& logits,
                                  const at::Tensor& nodes,
                                  const at::Tensor& labels) {
  const OnDevice device(logits);
  const at::Tensor rows = logits.contiguous();
  const at::Tensor index = nodes.contiguous();
  const at::Tensor truth = labels.contiguous();
  const at::Tensor grad_logits = at::empty_like(rows);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, logits.scalar_type(), "cross_entropy", [&] {
        C10_CUDA_CHECK(launch_cross_entropy_backward(
            job_of<scalar_t>(rows, index, truth),
            grad.data_ptr<Compute<Kernel<scalar_t>>>(),
            rows_of<scalar_t>(grad_logits), device.stream()));
      });
  return grad_logits;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("cross_entropy", cross_entropy);
  m.impl("cross_entropy_backward", cross_entropy_backward);
}

}  // namespace ordered_gnn::cuda
