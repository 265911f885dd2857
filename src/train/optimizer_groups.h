#pragma once
#include <vector>

#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/train/options.h"
#include "train/adam.h"

namespace ordered_gnn::training {

/// The parameters of a model as Adam takes them: theta and xi with an L2
/// strength each. Frozen input norms stop requiring gradients and are in no
/// group.
std::vector<Adam::Parameter> optimizer_groups(NodeModel& model,
                                              const TrainOptions& options);

}  // namespace ordered_gnn::training
