#include "train/model_state.h"

#include <torch/types.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {

TensorMap named_state(const NodeModel& model) {
  TensorMap out;
  for (const auto& item : model.named_parameters()) {
    out[item.key()] = item.value().detach();
  }
  for (const auto& item : model.named_buffers()) {
    out[item.key()] = item.value().detach();
  }
  return out;
}

void check_state(const NodeModel& model, const TensorMap& state,
                 const std::filesystem::path& file) {
  const TensorMap own = named_state(model);
  for (const auto& [name, tensor] : state) {
    if (own.count(name) == 0) {
      fail_in(file, fmt::format("tensor '{}' is not part of the model its "
                                "settings describe",
                                name));
    }
  }
  for (const auto& [name, target] : own) {
    const auto found = state.find(name);
    if (found == state.end()) {
      fail_in(file, fmt::format("tensor '{}' is missing", name));
    }
    if (found->second.sizes() != target.sizes()) {
      fail_in(file, fmt::format("tensor '{}' is {}, the model needs {}", name,
                                c10::str(found->second.sizes()),
                                c10::str(target.sizes())));
    }
  }
}

void require_finite(const TensorMap& state, const std::filesystem::path& file) {
  for (const auto& [name, tensor] : state) {
    if (!tensor.is_floating_point()) continue;
    // Not every operation is there for 16 bits.
    const at::Tensor values =
        tensor.element_size() < 4 ? tensor.to(at::kFloat) : tensor;
    if (values.isfinite().all().item<bool>()) continue;
    fail_in(file, fmt::format("tensor '{}' holds a NaN or an infinity: the "
                              "file is damaged, or the training diverged; "
                              "train again, with a lower --lr if it did",
                              name));
  }
}

void load_state(NodeModel& model, const TensorMap& state,
                const std::filesystem::path& file) {
  check_state(model, state, file);
  const torch::NoGradGuard no_grad;
  for (auto& [name, target] : named_state(model)) {
    target.copy_(state.at(name));
  }
}

}  // namespace ordered_gnn::training
