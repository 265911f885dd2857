#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// A system that can be compared with others: a model, or a model with options
/// that make another system of it. Its name is that of its recipes in
/// recipes/systems.
///
///   MODEL                    a model of 'ognn models'
///   MODEL_correct_smooth     with Correct & Smooth behind it
///   ordered_gnn_AGGREGATOR   Ordered GNN with another aggregation than the
///                            mean
///   ordered_gnn_transform    Ordered GNN with weights in its layers
///                            (--transform linear)
///   tuned_gnn_CONVOLUTION    tuned_gnn of GCN, GraphSAGE or GAT layers: gcn,
///                            sage, gat
struct NamedSystem {
  std::string name;
  std::string model;
  Json options = Json::object();  ///< besides `model`
};

/// All of them, models first.
std::vector<std::string> system_names();

/// @throws UsageError for any other name, with the nearest one.
NamedSystem parse_system(const std::string& name);

}  // namespace ordered_gnn::lab
