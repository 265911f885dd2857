#include "train/adam.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "ops/detail/adam.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::training {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;
constexpr int64_t kBlock = 1 << 15;

struct Coefficients {
  double step_size;
  double inverse_sqrt_correction2;
  double l2;
};

Coefficients coefficients(double lr, int64_t steps, double l2) {
  const auto t = static_cast<double>(steps);
  return {lr / (1.0 - std::pow(kBeta1, t)),
          1.0 / std::sqrt(1.0 - std::pow(kBeta2, t)), l2};
}

// Elements are independent, so any memory order will do as long as value,
// gradient and moments share it.
template <typename T>
void update(const Coefficients& c, int64_t size, const T* grad, T* value, T* m,
            T* v) {
  const T beta1 = static_cast<T>(kBeta1), beta2 = static_cast<T>(kBeta2);
  const T l2 = static_cast<T>(c.l2), eps = static_cast<T>(kEps);
  const T step_size = static_cast<T>(c.step_size);
  const T correction = static_cast<T>(c.inverse_sqrt_correction2);
#pragma GCC ivdep
  for (int64_t i = 0; i < size; ++i) {
    const T g = grad[i] + l2 * value[i];
    m[i] = beta1 * m[i] + (T(1) - beta1) * g;
    v[i] = beta2 * v[i] + (T(1) - beta2) * g * g;
    value[i] -= step_size * m[i] / (std::sqrt(v[i]) * correction + eps);
  }
}

// Part of one parameter, small enough to be one piece of work.
struct Piece {
  Coefficients c;
  at::Tensor value, grad, m, v;
  int64_t begin, end;
};

void update_piece(const Piece& piece) {
  AT_DISPATCH_FLOATING_TYPES(piece.value.scalar_type(), "adam", [&] {
    update(piece.c, piece.end - piece.begin,
           piece.grad.data_ptr<scalar_t>() + piece.begin,
           piece.value.data_ptr<scalar_t>() + piece.begin,
           piece.m.data_ptr<scalar_t>() + piece.begin,
           piece.v.data_ptr<scalar_t>() + piece.begin);
  });
}

// The gradient in the memory order of the parameter.
at::Tensor aligned_gradient(const at::Tensor& value) {
  const at::Tensor& grad = value.grad();
  if (grad.strides() == value.strides()) return grad;
  at::Tensor out = at::empty_like(value);
  return out.copy_(grad);
}

}  // namespace

Adam::Adam(std::vector<Parameter> parameters) {
  const at::NoGradGuard no_grad;
  for (Parameter& parameter : parameters) {
    TORCH_CHECK(parameter.value.is_non_overlapping_and_dense(),
                "Adam: parameter ", parameter.name, " is not dense in memory");
    Slot slot;
    slot.m = at::zeros_like(parameter.value);
    slot.v = at::zeros_like(parameter.value);
    slot.parameter = std::move(parameter);
    slots_.push_back(std::move(slot));
  }
}

void Adam::zero_grad() {
  for (Slot& slot : slots_) slot.parameter.value.mutable_grad().reset();
}

double Adam::gradient_norm() const {
  double squares = 0;
  for (const Slot& slot : slots_) {
    const at::Tensor& grad = slot.parameter.value.grad();
    if (!grad.defined()) continue;
    const double norm = grad.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

void Adam::clip_gradients(double max_norm) {
  const double norm = gradient_norm();
  if (!(norm > max_norm)) return;
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    at::Tensor& grad = slot.parameter.value.mutable_grad();
    if (grad.defined()) grad.mul_(max_norm / norm);
  }
}

// Parameters that a step on a GPU updates with one call: those that begin with
// the same step.
struct Adam::Group {
  DeviceClock clock;
  std::vector<at::Tensor> value, grad, m, v;
  std::vector<double> l2;
};

std::vector<Adam::Group> Adam::groups(const DeviceClock& clock) const {
  std::map<int64_t, Group> by_first_step;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.value.grad().defined()) continue;
    Group& group = by_first_step[slot.parameter.first_step];
    group.value.push_back(slot.parameter.value);
    group.grad.push_back(aligned_gradient(slot.parameter.value));
    group.m.push_back(slot.m);
    group.v.push_back(slot.v);
    group.l2.push_back(slot.parameter.l2);
  }
  std::vector<Group> out;
  for (auto& [first_step, group] : by_first_step) {
    group.clock = clock;
    if (first_step > 1) {
      at::Tensor waits = clock.steps.lt(first_step);
      if (clock.stopped.defined()) {
        waits = waits.logical_or(clock.stopped.ne(0));
      }
      group.clock.stopped = waits.to(at::kLong);
      group.clock.steps = (clock.steps - (first_step - 1)).clamp_min(1);
    }
    out.push_back(std::move(group));
  }
  return out;
}

void Adam::step(const DeviceClock& clock, double max_norm) {
  const at::NoGradGuard no_grad;
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  const std::vector<Group> all = groups(clock);
  at::Tensor scale;
  if (max_norm > 0 && !all.empty()) {
    std::vector<at::Tensor> grads;
    for (const Group& group : all) {
      grads.insert(grads.end(), group.grad.begin(), group.grad.end());
    }
    scale = at::empty({1}, clock.lr.options());
    detail::clip_scale(grads, max_norm, scale);
  }
  for (const Group& group : all) {
    detail::adam_step({group.value, group.grad, group.m, group.v, group.l2,
                       clock.lr, group.clock.steps,
                       detail::when_defined(group.clock.stopped),
                       detail::when_defined(scale)});
  }
}

void Adam::step(double lr) {
  const at::NoGradGuard no_grad;
  ++steps_;
  if (!slots_.empty() && !slots_.front().parameter.value.device().is_cpu()) {
    if (!clock_.lr.defined()) {
      const at::Device device = slots_.front().parameter.value.device();
      clock_.lr = at::empty({1}, at::device(device).dtype(at::kDouble));
      clock_.steps = at::empty({1}, at::device(device).dtype(at::kLong));
    }
    // Written by kernels of the stream: the host waits for nothing.
    clock_.lr.fill_(lr);
    clock_.steps.fill_(steps_);
    step(clock_, /*max_norm=*/0);
    return;
  }
  std::vector<Piece> pieces;
  for (const Slot& slot : slots_) {
    const at::Tensor& value = slot.parameter.value;
    const int64_t own_steps = steps_ - slot.parameter.first_step + 1;
    if (!value.grad().defined() || own_steps < 1) continue;
    const Coefficients c = coefficients(lr, own_steps, slot.parameter.l2);
    const at::Tensor grad = aligned_gradient(value);
    for (int64_t begin = 0; begin < value.numel(); begin += kBlock) {
      pieces.push_back({c, value, grad, slot.m, slot.v, begin,
                        std::min(value.numel(), begin + kBlock)});
    }
  }
  parallel_blocks(static_cast<int64_t>(pieces.size()),
                  [&](int64_t i) { update_piece(pieces[i]); });
}

std::map<std::string, at::Tensor> Adam::state() const {
  std::map<std::string, at::Tensor> out;
  for (const Slot& slot : slots_) {
    out["m." + slot.parameter.name] = slot.m;
    out["v." + slot.parameter.name] = slot.v;
  }
  return out;
}

void Adam::load_state(const std::map<std::string, at::Tensor>& state,
                      int64_t steps) {
  const auto load = [&](const std::string& name, at::Tensor& target) {
    const auto found = state.find(name);
    if (found == state.end() || found->second.sizes() != target.sizes()) {
      fail("the saved optimiser state has no '{}' of the right shape", name);
    }
    target.copy_(found->second);
  };
  const at::NoGradGuard no_grad;
  for (Slot& slot : slots_) {
    load("m." + slot.parameter.name, slot.m);
    load("v." + slot.parameter.name, slot.v);
  }
  steps_ = steps;
}

}  // namespace ordered_gnn::training
