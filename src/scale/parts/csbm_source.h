#pragma once
#include <vector>

#include "data/generators/csbm.h"
#include "scale/parts/graph_source.h"

namespace ordered_gnn::scale {

/// A graph of the block model: its edges are in memory, for drawing them needs
/// all, its features are drawn when they are asked for.
class CsbmSource : public GraphSource {
 public:
  /// @throws UsageError for sparse features, which are not read piece by piece.
  explicit CsbmSource(const data::CsbmOptions& options);

  const RawDataset& nodes() const override { return nodes_; }
  int64_t num_features() const override { return options_.features; }
  /// Once: the edges are gone afterwards.
  void walk_edges(const OnEdges& on_edges) override;
  void walk_features(const OnRows& on_rows) override;

 private:
  const data::CsbmOptions options_;
  RawDataset nodes_;
  std::vector<int64_t> classes_;
};

}  // namespace ordered_gnn::scale
