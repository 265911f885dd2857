#pragma once
#include <ATen/core/Tensor.h>

#include <functional>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/explain/attributes.h"

namespace ordered_gnn::explain {

/// Features and the tensor that holds their values: [N, F] of dense ones, the
/// stored entries of sparse rows.
struct FeaturePoint {
  at::Tensor values;
  NodeFeatures features;
};

/// d number / d values of a point; undefined when the number does not depend on
/// them. @param number  a scalar that was recorded for backward.
at::Tensor gradient_at(const FeaturePoint& point, const at::Tensor& number);

/// The straight line from a baseline, the same row for every node, to the
/// features of some nodes.
class FeaturePath {
 public:
  /// @param features  dense or sparse, on the CPU.
  /// @param baseline  [F]; of sparse features it must be 0.
  FeaturePath(NodeFeatures features, const at::Tensor& baseline);

  int64_t num_nodes() const { return features_.num_nodes(); }
  int64_t num_features() const { return features_.num_features(); }

  /// B + share (X - B). The values require a gradient.
  FeaturePoint at(double share) const;
  /// X - B in the shape of the values.
  const at::Tensor& difference() const { return difference_; }

  /// The features with one attribute of one node as in the baseline.
  NodeFeatures without(int64_t node, const Attribute& attribute) const;

  /// Calls body(node, feature, number) for every number of a tensor in the
  /// shape of the values, node by node.
  void for_each(
      const at::Tensor& numbers,
      const std::function<void(int64_t, int64_t, double)>& body) const;

 private:
  NodeFeatures with_values(const at::Tensor& values) const;

  NodeFeatures features_;
  at::Tensor baseline_;    // [F]
  at::Tensor difference_;  // float32
};

}  // namespace ordered_gnn::explain
