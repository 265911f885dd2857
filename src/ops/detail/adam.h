#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <tuple>

#include "ops/detail/optional.h"

// Steps of the optimiser on a GPU, see train/adam.h.
namespace ordered_gnn::detail {

/// Arguments of the registered op `adam_step_`. All tensors are of one type and
/// on one device; every list entry is dense in memory.
struct AdamStepArguments {
  at::TensorList value, grad, m, v;
  at::ArrayRef<double> l2;
  at::Tensor lr, steps;             ///< one float64, one int64 number
  optional<at::Tensor> stopped;     ///< int64: unless it is 0 nothing changes
  optional<at::Tensor> grad_scale;  ///< float64; nothing stands for 1

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.value, self.grad, self.m, self.v, self.l2, self.lr,
                    self.steps, self.stopped, self.grad_scale);
  }
};

/// Calls the registered op, which GPUs have.
void adam_step(const AdamStepArguments& arguments);

/// Calls the registered op, which GPUs have: the factor that takes the norm of
/// all gradients down to `max_norm`, into `scale`.
void clip_scale(at::TensorList grad, double max_norm, const at::Tensor& scale);

}  // namespace ordered_gnn::detail
