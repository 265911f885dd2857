#pragma once
#include <memory>
#include <string>
#include <vector>

#include "data/generators/random_features.h"
#include "data/graph_source.h"

namespace ordered_gnn::scale {

/// A generated graph: its edges are in memory, for drawing them needs all, its
/// features are drawn when they are asked for.
class DrawnSource : public data::GraphSource {
 public:
  /// @param graph  without features.
  DrawnSource(RawDataset graph, const data::RandomFeatureOptions& features);

  RawDataset& nodes() override { return nodes_; }
  int64_t num_features() const override { return options_.features; }
  int64_t num_edges() const override { return num_edges_; }
  /// Once: the edges are gone afterwards.
  void walk_edges(const OnEdges& on_edges) override;
  void walk_features(const OnRows& on_rows) override;

 private:
  RawDataset nodes_;
  const data::RandomFeatureOptions options_;
  const int64_t num_edges_;
  std::vector<int64_t> classes_;
};

/// Of "csbm?key=value&..." or "small_world?...", "synthetic:" may go before;
/// null for other generators.
/// @throws UsageError as generate_synthetic() does, and for sparse features,
///         which are not drawn piece by piece.
std::unique_ptr<DrawnSource> draw_source(const std::string& spec);

}  // namespace ordered_gnn::scale
