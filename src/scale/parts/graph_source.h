#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::scale {

/// A graph that is read piece by piece and never is in memory as a whole.
class GraphSource {
 public:
  virtual ~GraphSource() = default;

  /// All but edges and features: what takes memory for every node alone.
  virtual const RawDataset& nodes() const = 0;
  virtual int64_t num_features() const = 0;

  /// Hands over all edges as they are stored, [2, e] int64 at a time.
  using OnEdges = std::function<void(const at::Tensor& edges)>;
  virtual void walk_edges(const OnEdges& on_edges) = 0;

  /// Hands over the features of all nodes in order, [r, F] float32 at a time.
  using OnRows = std::function<void(int64_t first, const at::Tensor& rows)>;
  virtual void walk_features(const OnRows& on_rows) = 0;
};

}  // namespace ordered_gnn::scale
