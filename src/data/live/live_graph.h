#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/list_table.h"
#include "core/row_table.h"
#include "data/live/graph_change.h"
#include "data/live/node_names.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// One version of a dataset that changes. Versions are values that share what
/// they have in common, so that a reader keeps the one it has while others
/// follow. On the CPU.
///
/// A node is a row. A node that is removed leaves its row empty and a node that
/// is added takes the next one, so that rows stay in the order in which the
/// dataset that is written of them has its nodes, and sums over neighbours in
/// theirs. Empty rows are given up by moved(), which keeps that order.
class LiveGraph {
 public:
  LiveGraph() = default;
  /// @param raw   before its treatment; of its labels those of `data` count.
  /// @param data  prepare() of it, with the classes of a model.
  LiveGraph(const RawDataset& raw, const NodeDataset& data);

  int64_t num_rows() const { return in_.num_rows(); }
  int64_t num_nodes() const { return num_nodes_; }
  /// Messages: entries of in().
  int64_t num_edges() const;
  bool has(int64_t row) const {
    return row >= 0 && row < num_rows() && node(row).exists[place(row)];
  }
  /// Whether all rows of a chunk are those of nodes that were removed: none of
  /// them comes back.
  bool is_gone(int64_t chunk) const;
  int64_t label(int64_t row) const { return node(row).label[place(row)]; }

  const core::ListTable& in() const { return in_; }
  /// Rows that receive from a row.
  const core::ListTable& out() const { return is_symmetric() ? in_ : out_; }

  /// @return -1 when there is no such node.
  int64_t find(const std::string& name) const;
  std::string name_of(int64_t row) const;

  const std::string& name() const { return frame_->name; }
  const Treatment& treatment() const { return frame_->treatment; }
  int64_t num_classes() const { return frame_->num_classes; }
  const std::vector<std::string>& class_names() const {
    return frame_->class_names;
  }
  int64_t num_features() const { return frame_->num_features; }
  const std::vector<std::string>& feature_names() const {
    return frame_->feature_names;
  }
  const std::vector<Column>& columns() const { return frame_->columns; }
  /// Whether edges have weights: those of in() are its values. An edge that is
  /// read both ways has the same both ways.
  bool is_weighted() const { return frame_->is_weighted; }
  /// Why it cannot change, to be read after "because"; empty: it can.
  const std::string& fixed_because() const { return frame_->fixed_because; }

  /// Features of some rows as the model's data has them: treated.
  NodeFeatures treated_rows(const std::vector<int64_t>& rows) const;

  /// The nodes in order: their rows.
  std::vector<int64_t> rows() const;
  /// What a file of it holds, labels in the classes of the model. Reading it
  /// with the same treatment gives dataset().
  RawDataset raw() const;
  /// As loading raw() would give it.
  NodeDataset dataset() const;

  /// How rows that removed nodes have left are given up; nothing when these are
  /// few. Takes a look at every row.
  std::optional<core::RowMoves> row_moves() const;
  struct MovedGraph {
    const LiveGraph& before;
    const LiveGraph& after;
  };
  /// The same graph with its rows elsewhere, and all that is made of it.
  /// @param moves  row_moves() of this version or of an earlier one, extended
  ///               to the rows of this.
  /// @param known  that earlier one, moved; null: none.
  LiveGraph moved(const core::RowMoves& moves,
                  const MovedGraph* known = nullptr) const;

  /// The version after a change, which touches `effect`. Names of new nodes are
  /// those that commit() makes known; until then no other version may be made
  /// of this one.
  /// @param change  names that are empty are filled in.
  /// @throws FieldError naming what does not fit.
  LiveGraph changed(GraphChange& change, const ChangeLimits& limits,
                    ChangeEffect& effect) const;
  void commit();
  /// Takes back what versions that were made of this one have committed: they
  /// are not to be.
  void take_back_later() const { frame_->names->truncate(num_rows()); }

 private:
  friend class ChangeRun;

  struct NodeChunk {
    std::array<int32_t, core::kRowsPerChunk> label{};
    std::array<uint8_t, core::kRowsPerChunk> exists{};
  };
  // What all versions share.
  struct Frame {
    std::string name;
    Treatment treatment;
    int64_t num_classes = 0;
    int64_t num_features = 0;
    NodeFeatures::Kind kind = NodeFeatures::Kind::dense;
    bool is_weighted = false;
    std::vector<std::string> class_names, feature_names;
    std::vector<Column> columns;
    std::vector<Split> splits;
    std::string split_set;
    Provenance provenance;
    std::string fixed_because;
    std::shared_ptr<NodeNames> names;
    // Of a graph that cannot change.
    std::optional<RawDataset> fixed_raw;
    std::optional<NodeDataset> fixed;
  };

  static size_t place(int64_t row) {
    return static_cast<size_t>(row % core::kRowsPerChunk);
  }
  const NodeChunk& node(int64_t row) const {
    return nodes_[row / core::kRowsPerChunk];
  }
  bool is_symmetric() const {
    return frame_->treatment.direction == Direction::undirected;
  }
  bool is_normalized() const {
    return frame_->treatment.features == Treatment::Features::row_normalized;
  }
  std::shared_ptr<const Frame> moved_frame(const core::RowMoves& moves) const;
  NodeFeatures raw_rows(const std::vector<int64_t>& rows) const;
  struct StoredEdges {
    at::Tensor ends, weights;
  };
  StoredEdges stored_edges(const std::vector<int64_t>& node_of_row) const;
  std::vector<Split> splits_among(
      const std::vector<int64_t>& node_of_row) const;
  std::vector<std::string> names_of(const std::vector<int64_t>& rows) const;
  at::Tensor labels_of(const std::vector<int64_t>& rows) const;
  Graph graph_of(const std::vector<int64_t>& node_of_row, int64_t nodes) const;

  std::shared_ptr<const Frame> frame_;
  int64_t num_nodes_ = 0;
  core::ListTable in_, out_;  // of a symmetric graph the first alone
  core::Chunked<NodeChunk> nodes_;
  core::RowTable dense_;                // features before the treatment
  core::ListTable sparse_;              // the same, when they are sparse
  float minimum_ = 0;                   // of the features
  std::vector<std::string> new_names_;  // until commit()
};

}  // namespace ordered_gnn::data
