#include "train/weight_average.h"

#include <torch/types.h>

#include <algorithm>

namespace ordered_gnn::training {
namespace {

void copy_all(const TensorMap& from, TensorMap& to) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : to) tensor.copy_(from.at(name));
}

// One product and one sum, which round the same way wherever a thread's share
// of a tensor begins.
template <typename Factor>
void blend(const TensorMap& own, const Factor& kept, const Factor& added,
           TensorMap& average) {
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : average) {
    tensor.mul_(kept).add_(own.at(name) * added);
  }
}

}  // namespace

double average_decay(double decay, int64_t epoch) {
  const auto t = static_cast<double>(epoch);
  return std::min(decay, (t - 1) / (t + 9));
}

WeightAverage::WeightAverage(NodeModel& model, double decay)
    : is_active_(decay > 0), decay_(decay) {
  if (!is_active_) return;
  own_ = named_state(model);
  for (const auto& [name, tensor] : own_) {
    average_[name] = tensor.clone();
    aside_[name] = tensor.clone();
  }
}

void WeightAverage::update(int64_t epoch) {
  const double kept = average_decay(decay_, epoch);
  blend(own_, kept, 1 - kept, average_);
}

void WeightAverage::update(const at::Tensor& decay) {
  blend(own_, decay, 1 - decay, average_);
}

TensorMap WeightAverage::copies() const {
  TensorMap out;
  for (const auto& [name, tensor] : average_) out[name] = tensor.clone();
  return out;
}

void WeightAverage::set_values(const TensorMap& values) {
  copy_all(values, average_);
}

void WeightAverage::put_in_place() {
  copy_all(own_, aside_);
  copy_all(average_, own_);
}

void WeightAverage::take_back() { copy_all(aside_, own_); }

}  // namespace ordered_gnn::training
