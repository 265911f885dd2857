#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// A graph that is read piece by piece and never is in memory as a whole. What
/// comes is checked as loaders check it.
class GraphSource {
 public:
  virtual ~GraphSource() = default;

  /// All but edges and features: what takes memory for every node alone.
  virtual RawDataset& nodes() = 0;
  virtual int64_t num_features() const = 0;
  /// Stored ones: how many walk_edges() hands over.
  virtual int64_t num_edges() const = 0;
  virtual bool has_edge_weights() const { return false; }
  /// Whether nodes have names that nodes() does not hold.
  virtual bool names_are_its_own() const { return false; }

  /// Hands over all edges as they are stored, [2, e] int64 at a time, and their
  /// weights, [e] float32; undefined where there are none. May be called once.
  using OnEdges =
      std::function<void(const at::Tensor& edges, const at::Tensor& weights)>;
  virtual void walk_edges(const OnEdges& on_edges) = 0;

  /// Whether walk_features() goes from node 0 on.
  virtual bool rows_are_in_order() const { return true; }
  /// Hands over the features of every node once, [r, F] float32 at a time, with
  /// the nodes that they are of, [r] int64.
  using OnRows =
      std::function<void(const at::Tensor& nodes, const at::Tensor& rows)>;
  virtual void walk_features(const OnRows& on_rows) = 0;
};

/// Edges, and rows of `width` numbers, that are handed over at a time.
inline constexpr int64_t kPieceEdges = int64_t{1} << 18;
inline int64_t piece_rows(int64_t width) {
  constexpr int64_t kPieceValues = int64_t{1} << 19;
  return width >= kPieceValues ? 1 : kPieceValues / (width > 0 ? width : 1);
}

/// validate() of a dataset without edges and features.
void validate_nodes(const RawDataset& nodes);

}  // namespace ordered_gnn::data
