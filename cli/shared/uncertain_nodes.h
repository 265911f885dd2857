#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "shared/prediction_table.h"

namespace ordered_gnn::cli {

/// A node of which a model is not sure.
struct UncertainNode {
  int64_t node = 0;
  int64_t label = 0;
  double confidence = 0;   ///< of the label
  int64_t runner_up = -1;  ///< the second class; -1 where there is one class
  double runner_up_probability = 0;
};

/// The `count` rows of least confidence, the least first; of equals the one
/// that comes first.
std::vector<UncertainNode> least_certain(const PredictedNodes& nodes,
                                         int64_t count);

/// A table with names of nodes and classes.
std::string uncertain_text(const PredictedNodes& nodes,
                           const std::vector<UncertainNode>& uncertain);

/// An array of: node label confidence runner_up runner_up_probability.
Json uncertain_json(const PredictedNodes& nodes,
                    const std::vector<UncertainNode>& uncertain);

}  // namespace ordered_gnn::cli
