#include "train/optimizer_groups.h"

#include <torch/types.h>

namespace ordered_gnn::training {

std::vector<Adam::Parameter> optimizer_groups(NodeModel& model,
                                              const TrainOptions& options) {
  std::vector<Adam::Parameter> groups;
  for (auto& item : model.named_parameters()) {
    double l2 = options.l2_xi;
    switch (NodeModel::role_of(item.key())) {
      case ParameterRole::theta:
        l2 = options.l2_theta;
        break;
      case ParameterRole::xi:
        break;
      case ParameterRole::input_norm:
        if (options.input_norm == InputNorm::frozen) {
          item.value().set_requires_grad(false);
          continue;
        }
        l2 = options.input_norm == InputNorm::decay ? options.l2_theta : 0.0;
        break;
    }
    groups.push_back(
        {item.key(), item.value(), l2, model.first_step(item.key())});
  }
  return groups;
}

}  // namespace ordered_gnn::training
