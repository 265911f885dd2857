#include "ordered_gnn/nn/model.h"

#include "core/affixes.h"

namespace ordered_gnn {

void trace_layer(ForwardTrace* trace, int64_t layer, const at::Tensor& state,
                 const at::Tensor& gate, int64_t orders) {
  if (trace == nullptr || !trace->on_layer) return;
  trace->on_layer({layer, state, gate, orders});
}

bool NodeModel::has_receivers_pass(const ForwardContext& /*context*/,
                                   at::Device /*device*/) const {
  return false;
}

at::Tensor NodeModel::forward_receivers(const Graph& /*graph*/,
                                        const NodeFeatures& /*features*/,
                                        const ForwardContext& /*context*/,
                                        const ReceiverLists& /*lists*/) {
  TORCH_CHECK(false, "this model computes all rows or none");
}

std::shared_ptr<const ModelPreparation> NodeModel::prepare(
    const NodeDataset& /*data*/, const PreparationOptions& /*options*/) const {
  return nullptr;
}

at::Tensor NodeModel::classify(const at::Tensor& /*state*/) const { return {}; }

int64_t NodeModel::first_step(const std::string& /*parameter_name*/) const {
  return 1;
}

ParameterRole NodeModel::role_of(const std::string& parameter_name) {
  const auto is_part_of = [&](const char* prefix) {
    return core::starts_with(parameter_name, prefix);
  };
  if (is_part_of("input_norm.") || is_part_of("node_ids_norm.")) {
    return ParameterRole::input_norm;
  }
  if (is_part_of("input.") || is_part_of("node_ids.") ||
      is_part_of("output.")) {
    return ParameterRole::theta;
  }
  return ParameterRole::xi;
}

}  // namespace ordered_gnn
