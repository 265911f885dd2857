#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "explain/feature_path.h"
#include "explain/heard_part.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::explain {

/// What a model says of one node of a part when features differ.
class NodeQuestion {
 public:
  NodeQuestion(NodeModel& model, const HeardPart& part, int64_t node,
               const ForwardContext& context)
      : model_(model),
        part_(part),
        place_(part.place_of(node)),
        context_(context) {}

  int64_t place() const { return place_; }
  /// Logits of the node, [1, C]; recorded for backward where gradients are.
  at::Tensor logits(const NodeFeatures& features) const;
  /// df/dX of the log-odds f of a class at a point, in the shape of its values;
  /// undefined when the model does not read them.
  at::Tensor gradient(const FeaturePoint& point, int64_t of_class) const;

 private:
  NodeModel& model_;
  const HeardPart& part_;
  int64_t place_;
  ForwardContext context_;
};

/// The attributions of NodeAttribution in so many steps, float64, in the shape
/// of the path's values; undefined when the model does not read features.
at::Tensor integrated_gradients(const NodeQuestion& question,
                                const FeaturePath& path, int64_t of_class,
                                int64_t steps);

}  // namespace ordered_gnn::explain
