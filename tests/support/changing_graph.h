#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "data/live/graph_change.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// A dataset that changes, in the plainest way: the reference of
/// data::LiveGraph.
class PlainGraph {
 public:
  explicit PlainGraph(const RawDataset& raw);

  void apply(const data::GraphChange& change);
  RawDataset raw() const;

  const std::vector<std::string>& names() const { return names_; }
  /// Their weights; 1 in a graph without.
  const std::map<std::pair<std::string, std::string>, float>& edges() const {
    return edges_;
  }
  bool is_weighted() const { return raw_.edge_weights.defined(); }
  int64_t num_features() const { return raw_.features.num_features(); }
  int64_t num_classes() const { return raw_.num_classes; }

 private:
  using Edge = std::pair<std::string, std::string>;
  Edge stored(const std::string& first, const std::string& second) const;
  void read_edges();

  RawDataset raw_;  // as it was at first
  std::vector<std::string> names_;
  std::map<Edge, float> edges_;
  std::map<std::string, std::vector<float>> features_;
  std::map<std::string, int64_t> labels_;
};

/// A random change of every kind that fits the graph.
/// @param near  edges join nodes at most so far apart in the list of nodes, so
///              that neighbourhoods grow slowly; 0: any.
data::GraphChange random_change(const PlainGraph& graph, RandomStream& random,
                                int64_t near);

}  // namespace ordered_gnn
