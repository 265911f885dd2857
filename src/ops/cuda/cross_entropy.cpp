#include "ops/cuda/kernels/rows/cross_entropy.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/detail/arguments.h"
#include "ops/detail/cross_entropy.h"

namespace ordered_gnn::cuda {
namespace {

using detail::CrossEntropyArguments;

CrossEntropyArguments all_packed(const CrossEntropyArguments& arguments) {
  return {arguments.logits.contiguous(), arguments.nodes.contiguous(),
          arguments.labels.contiguous(),
          detail::when_defined(packed(arguments.weights))};
}

// All of them are contiguous. T is LibTorch's type of the logits.
template <typename T>
CrossEntropy<Kernel<T>> job_of(const CrossEntropyArguments& arguments) {
  CrossEntropy<Kernel<T>> job;
  job.logits = rows_of<T>(arguments.logits);
  job.nodes = arguments.nodes.data_ptr<int64_t>();
  job.labels = arguments.labels.data_ptr<int64_t>();
  job.weights = pointer_of<Compute<Kernel<T>>>(
      detail::value_or_undefined(arguments.weights));
  job.rows = arguments.logits.size(0);
  job.count = arguments.nodes.size(0);
  job.classes = width_of(arguments.logits);
  return job;
}

at::Tensor doubles_beside(const at::Tensor& logits, int64_t count) {
  return at::empty({count}, logits.options().dtype(at::kDouble));
}

at::Tensor cross_entropy(const CrossEntropyArguments& arguments) {
  detail::check_cross_entropy(arguments);
  const at::Tensor& logits = arguments.logits;
  const OnDevice device(logits);
  const CrossEntropyArguments input = all_packed(arguments);
  const bool is_half = logits.scalar_type() == at::kBFloat16;
  const at::Tensor loss = at::empty(
      {}, is_half ? logits.options().dtype(at::kFloat) : logits.options());
  const at::Tensor partial = doubles_beside(
      logits, cross_entropy_blocks(input.nodes.size(0), width_of(logits)));
  const at::Tensor total = doubles_beside(logits, 1);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, logits.scalar_type(), "cross_entropy", [&] {
        C10_CUDA_CHECK(launch_cross_entropy(
            job_of<scalar_t>(input), partial.data_ptr<double>(),
            total.data_ptr<double>(),
            loss.data_ptr<Compute<Kernel<scalar_t>>>(), device.stream()));
      });
  return loss;
}

at::Tensor cross_entropy_backward(
    const detail::CrossEntropyBackwardArguments& arguments) {
  const OnDevice device(arguments.forward.logits);
  const CrossEntropyArguments input = all_packed(arguments.forward);
  const at::Tensor grad_logits = at::empty_like(input.logits);
  const at::Tensor total = doubles_beside(input.logits, 1);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, input.logits.scalar_type(), "cross_entropy", [&] {
        C10_CUDA_CHECK(launch_cross_entropy_backward(
            job_of<scalar_t>(input),
            arguments.grad.data_ptr<Compute<Kernel<scalar_t>>>(),
            total.data_ptr<double>(), rows_of<scalar_t>(grad_logits),
            device.stream()));
      });
  return grad_logits;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("cross_entropy", detail::registered<cross_entropy>);
  m.impl("cross_entropy_backward", detail::registered<cross_entropy_backward>);
}

}  // namespace ordered_gnn::cuda
