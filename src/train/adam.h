#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ordered_gnn::training {

/// Adam with classic L2 (added to the gradient), one strength per parameter:
///
///   g = grad + l2 * w
///   m = b1 m + (1 - b1) g          v = b2 v + (1 - b2) g^2
///   w = w - lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps)
///
/// The same trajectory as torch::optim::Adam to rounding; all parameters are
/// updated in one parallel pass, and the state can be saved and restored bit
/// for bit. A parameter without gradient is left alone, as one is whose first
/// step is to come; t counts from there. All parameters are on
/// one device and, on a GPU, of one type.
class Adam {
 public:
  struct Parameter {
    std::string name;
    at::Tensor value;  ///< float32 or float64, any dense layout
    double l2 = 0;
    /// The step that begins with it, t = 1 there; earlier ones leave it alone.
    int64_t first_step = 1;
  };

  explicit Adam(std::vector<Parameter> parameters);

  void zero_grad();
  /// Norm of all gradients together.
  double gradient_norm() const;
  /// Scales all gradients so that their norm is at most `max_norm`.
  void clip_gradients(double max_norm);
  void step(double lr);

  /// What a step on a GPU reads when it runs, not when it is asked for: one
  /// number each, on the device.
  struct DeviceClock {
    at::Tensor lr;       ///< float64
    at::Tensor steps;    ///< int64, with this step
    at::Tensor stopped;  ///< int64: unless it is 0 nothing changes; may be
                         ///< undefined
  };
  /// A step that can be part of a CUDA graph: the host looks at nothing. Clips
  /// as clip_gradients() does when `max_norm` is above 0. Does not count
  /// steps().
  void step(const DeviceClock& clock, double max_norm);

  int64_t steps() const { return steps_; }
  /// Moments as "m.<name>" and "v.<name>".
  std::map<std::string, at::Tensor> state() const;
  /// @throws Error when a moment is missing or has another shape.
  void load_state(const std::map<std::string, at::Tensor>& state,
                  int64_t steps);

 private:
  struct Slot {
    Parameter parameter;
    at::Tensor m;
    at::Tensor v;
  };
  struct Group;
  std::vector<Group> groups(const DeviceClock& clock) const;
  std::vector<Slot> slots_;
  int64_t steps_ = 0;
  DeviceClock clock_;  ///< of step(lr) on a GPU, undefined on the CPU
};

}  // namespace ordered_gnn::training
