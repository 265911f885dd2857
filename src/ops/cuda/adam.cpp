#include "ops/cuda/kernels/adam.h"

#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include "ops/cuda/context.h"

namespace ordered_gnn::cuda {
namespace {

// The schema is that of train/adam.cpp; all tensors of one type and device.
void adam_step(at::TensorList value, at::TensorList grad, at::TensorList m,
               at::TensorList v, at::ArrayRef<double> l2, const at::Tensor& lr,
               const at::Tensor& steps) {
  if (value.empty()) return;
  const OnDevice device(value[0]);
  AT_DISPATCH_FLOATING_TYPES(value[0].scalar_type(), "adam", [&] {
    AdamStep<scalar_t> job;
    job.lr = lr.data_ptr<double>();
    job.steps = steps.data_ptr<int64_t>();
    for (size_t i = 0; i < value.size(); ++i) {
      job.tensor[job.count++] = {value[i].data_ptr<scalar_t>(),
                                 grad[i].data_ptr<scalar_t>(),
                                 m[i].data_ptr<scalar_t>(),
                                 v[i].data_ptr<scalar_t>(),
                                 value[i].numel(),
                                 l2[i],
                                 /*first_block=*/0};
      if (job.count < kAdamTensors && i + 1 < value.size()) continue;
      C10_CUDA_CHECK(launch_adam(job, device.stream()));
      job.count = 0;
    }
  });
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) { m.impl("adam_step_", adam_step); }

}  // namespace ordered_gnn::cuda
