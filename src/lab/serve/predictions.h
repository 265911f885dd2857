#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/serve/served_version.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// What a request asks of predictions.
struct PredictionRequest {
  std::vector<std::string> ids;
  int64_t top = 0;             ///< most probable classes to list
  bool probabilities = false;  ///< of all classes
  bool logits = false;         ///< the scores that these are made of
  bool embedding = false;
  bool hop_shares = false;
};

/// Keys ids top probabilities logits embedding hop_shares.
/// @throws data::FieldError naming the field.
PredictionRequest prediction_request(const Json& body, int64_t max_nodes,
                                     int64_t num_classes);

/// A node that a request names and the graph does not have.
class UnknownNode : public data::FieldError {
 public:
  using FieldError::FieldError;
};

/// The answer, a JSON object.
/// @throws UnknownNode; data::FieldError for what the model does not give.
std::string predictions_json(const ServedVersion& version,
                             const PredictionRequest& request);

/// What is known of one node, the same and more.
/// @throws UnknownNode.
std::string node_json(const ServedVersion& version, const std::string& id);

}  // namespace ordered_gnn::lab
