#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::training {

/// A part of a graph on which some nodes hear drawn neighbours.
struct SampledPart {
  std::vector<int64_t> nodes;  ///< ids in the whole graph, rising
  Graph graph;                 ///< node i is nodes[i]

  /// Place of a node that is among `nodes`.
  int64_t place_of(int64_t node) const;
};

/// Draws neighbours, without replacement, of nodes, of these neighbours, and so
/// on, hop by hop. A node has one row in a part, by the fan-out of the hop in
/// which it was first reached; those that the last hop reached only send. A
/// loop is always kept and does not count.
///
/// What is drawn for a node follows from seed, epoch, batch and node alone.
/// Rows list neighbours in the order of the whole graph.
///
/// Of d neighbours f are kept: a mean is over those that were kept, with the
/// loop. Where sums or symmetric scaling need it, kept messages but the loop
/// are weighted by d / f with degrees of the whole graph instead, so that a sum
/// is that of all of them on the mean. A part whose rows are all whole has no
/// weights but the degrees of the whole graph.
class NeighborSampler {
 public:
  /// Of a hop: all neighbours.
  static constexpr int64_t kAll = 0;

  struct Options {
    std::vector<int64_t> fanout;  ///< of every hop, from the seeds on
    int64_t seed = 0;
    bool weights = false;  ///< as sums and symmetric scaling need
  };

  /// @param graph  on the CPU, without weights; copied, which shares it.
  NeighborSampler(const Graph& graph, Options options);

  /// @param seeds  distinct nodes.
  SampledPart draw(const std::vector<int64_t>& seeds, int64_t epoch,
                   int64_t batch);

 private:
  struct Row {
    int64_t begin, end;  ///< in kept_
  };
  void draw_places(int64_t node, int64_t length, int64_t most, uint64_t step);
  void keep_row(int64_t node, int64_t most, uint64_t step);
  void reach(int64_t node);
  SampledPart part_of_rows();

  const Graph graph_;
  const Options options_;
  const int64_t* rowptr_;
  const int32_t* col_;
  std::vector<int32_t> found_at_;  ///< per node of the graph; -1: not yet
  // Of the part that is being drawn, by when nodes were found.
  std::vector<int64_t> found_;
  std::vector<Row> rows_;
  std::vector<int32_t> kept_;    ///< neighbours, row by row
  bool is_whole_ = true;         ///< no neighbour of a row was left out
  std::vector<int64_t> places_;  ///< that were drawn in a row
  std::vector<bool> is_taken_;
};

}  // namespace ordered_gnn::training
