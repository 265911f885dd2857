#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scale/parts/manifest.h"
#include "scale/parts/plan.h"
#include "scale/parts/reader.h"

namespace ordered_gnn::lab {

/// Size of a graph that ranks share.
struct RankedShape {
  std::string name;
  int64_t nodes = 0;
  int64_t messages = 0;  ///< both ways of every edge, without loops
  int64_t features = 0;
  double density = 1;  ///< share of non-zero features; 1 = dense
  int64_t classes = 0;
  double trained = 0;  ///< share of the nodes that are trained on
  double scored = 1;   ///< share that is in any split
  /// Nodes of other ranks that a rank hears, by its own nodes.
  double halo_ratio = 1;
};

/// ogbn-products, ogbn-papers100M, ogbn-arxiv and pubmed, by the counts that
/// their authors state. Halo ratios depend on how many ranks there are and how
/// well the graph is cut: that of pubmed is METIS's for 16 ranks, the others
/// are assumed.
const std::vector<RankedShape>& ranked_shapes();

/// By name, with or without "ogbn-", or "nodes,edges,features,classes", edges
/// being heard both ways.
/// @throws UsageError naming what there is.
RankedShape find_ranked_shape(const std::string& text);

struct DrawnRankOptions {
  int64_t ranks = 2;
  int64_t rank = 0;
  int64_t parts = 8;  ///< of the whole graph; every rank has as many
  /// Graph and rank are made smaller by this factor.
  int64_t scale = 1;
};

/// One rank's share of a graph of a shape, drawn without the rest of it.
///
/// All nodes have the mean degree. Of the messages of a rank, two for each row
/// of its halo come from other ranks, in equal shares from all of them; a
/// tenth of the others come from other parts of the rank; their senders are
/// uniform. Every rank hears as many rows of this one as this one of it. Lists
/// are the same both ways, with a loop for every node.
class DrawnRank {
 public:
  /// @throws UsageError when parts and ranks do not fit, or a halo is larger
  ///         than what other ranks have.
  DrawnRank(const RankedShape& shape, const DrawnRankOptions& options);

  /// Of the scaled graph; sizes of parts are those of the shape's means, and
  /// there are no files.
  const scale::PartsManifest& manifest() const { return manifest_; }
  /// Rows that all ranks together fetch in a layer.
  const scale::HaloRows& halo() const { return halo_; }

  double trained_share() const { return shape_.trained; }

  /// A part of the rank, by its number among all.
  scale::Part draw(int64_t part) const;

  /// Whether lists can name all nodes of the scaled graph.
  bool can_draw() const;
  /// Draws the lists; before draw().
  /// @throws UsageError when they cannot be drawn.
  void draw_lists();
  /// What they take, about.
  int64_t list_bytes() const;

 private:
  struct Ids {
    int64_t begin, end;
    int64_t count() const { return end - begin; }
  };
  Ids ids_of(int64_t rank) const;
  void add_messages_of_others();
  void add_own_messages();
  void add_pair(int64_t receiver, int64_t sender);
  Adjacency lists_of(int64_t part) const;
  NodeFeatures features_of(int64_t part) const;

  const RankedShape shape_;
  const DrawnRankOptions options_;
  scale::PartsManifest manifest_;
  scale::HaloRows halo_;
  std::vector<int64_t> bounds_;  ///< parts of ranks
  /// Receiver and sender as places: receivers from the rank's first node on.
  std::vector<std::pair<int32_t, int32_t>> messages_;
};

}  // namespace ordered_gnn::lab
