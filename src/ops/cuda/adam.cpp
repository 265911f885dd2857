#include "ops/cuda/kernels/adam.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/detail/adam.h"
#include "ops/detail/arguments.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;

template <typename T>
const T* data_or_null(const optional<at::Tensor>& tensor) {
  return tensor.has_value() ? pointer_of<T>(*tensor) : nullptr;
}

void adam_step(const detail::AdamStepArguments& arguments) {
  const at::TensorList value = arguments.value;
  if (value.empty()) return;
  const OnDevice device(value[0]);
  AT_DISPATCH_FLOATING_TYPES(value[0].scalar_type(), "adam", [&] {
    AdamStep<scalar_t> job;
    job.lr = arguments.lr.data_ptr<double>();
    job.steps = arguments.steps.data_ptr<int64_t>();
    job.stopped = data_or_null<int64_t>(arguments.stopped);
    job.grad_scale = data_or_null<double>(arguments.grad_scale);
    for (size_t i = 0; i < value.size(); ++i) {
      job.tensor[job.count++] = {value[i].data_ptr<scalar_t>(),
                                 arguments.grad[i].data_ptr<scalar_t>(),
                                 arguments.m[i].data_ptr<scalar_t>(),
                                 arguments.v[i].data_ptr<scalar_t>(),
                                 value[i].numel(),
                                 arguments.l2[i],
                                 /*first_block=*/0,
                                 /*packed=*/0};
      if (job.count < kAdamTensors && i + 1 < value.size()) continue;
      C10_CUDA_CHECK(launch_adam(job, device.stream()));
      job.count = 0;
    }
  });
}

template <typename T>
void square_sums(at::TensorList grad, double* partial, cudaStream_t stream) {
  SquareSums<T> job;
  job.partial = partial;
  for (size_t i = 0; i < grad.size(); ++i) {
    job.tensor[job.count++] = {grad[i].data_ptr<T>(), grad[i].numel(),
                               /*first_block=*/0};
    partial += square_sum_blocks(grad[i].numel());
    if (job.count < kNormTensors && i + 1 < grad.size()) continue;
    C10_CUDA_CHECK(launch_square_sums(job, stream));
    job.partial = partial;
    job.count = 0;
  }
}

void clip_scale(at::TensorList grad, double max_norm, const at::Tensor& scale) {
  const OnDevice device(scale);
  int64_t blocks = 0;
  for (const at::Tensor& tensor : grad) {
    blocks += square_sum_blocks(tensor.numel());
  }
  const at::Tensor partial = at::empty({blocks}, scale.options());
  if (blocks > 0) {
    AT_DISPATCH_FLOATING_TYPES(grad[0].scalar_type(), "clip_scale", [&] {
      square_sums<scalar_t>(grad, partial.data_ptr<double>(), device.stream());
    });
  }
  C10_CUDA_CHECK(launch_clip_scale(partial.data_ptr<double>(), blocks, max_norm,
                                   scale.data_ptr<double>(), device.stream()));
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("adam_step_", detail::registered<adam_step>);
  m.impl("clip_scale_", clip_scale);
}

}  // namespace ordered_gnn::cuda
