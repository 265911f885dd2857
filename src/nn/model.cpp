#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

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
