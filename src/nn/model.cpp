#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

void trace_layer(ForwardTrace* trace, int64_t layer, const at::Tensor& state,
                 const at::Tensor& gate) {
  if (trace == nullptr || !trace->on_layer) return;
  trace->on_layer({layer, state, gate});
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

at::Tensor NodeModel::classify(const at::Tensor& /*state*/) const { return {}; }

ParameterRole NodeModel::role_of(const std::string& parameter_name) {
  const auto starts_with = [&](const char* prefix) {
    return parameter_name.rfind(prefix, 0) == 0;
  };
  if (starts_with("input_norm.")) return ParameterRole::input_norm;
  if (starts_with("input.") || starts_with("output.")) {
    return ParameterRole::theta;
  }
  return ParameterRole::xi;
}

}  // namespace ordered_gnn
