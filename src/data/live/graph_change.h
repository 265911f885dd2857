#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/row_moves.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// A part of a request that cannot be right, by the path of its field:
/// "add_edges[3][1]".
class FieldError : public Error {
 public:
  FieldError(std::string field, const std::string& message)
      : Error(message), field_(std::move(field)) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// A change of a graph, made as a whole or not at all, in the order of these
/// lists. Nodes are known by their names; those of a dataset without names are
/// numbers.
struct GraphChange {
  struct NewNode {
    /// Empty: a number that no node has had yet.
    std::string name;
    /// A number per feature of the dataset, before its treatment.
    std::vector<float> features;
    int64_t label = -1;
  };
  struct NewFeatures {
    std::string name;
    std::vector<float> features;
  };
  struct NewLabel {
    std::string name;
    int64_t label = -1;
  };
  struct Edge {
    Edge(std::string first, std::string second,
         std::optional<float> weight = std::nullopt)
        : first(std::move(first)), second(std::move(second)), weight(weight) {}
    std::string first, second;    ///< as stored
    std::optional<float> weight;  ///< of a new one; none: 1, where it matters
  };

  std::vector<Edge> remove_edges;
  /// With all their edges.
  std::vector<std::string> remove_nodes;
  std::vector<NewNode> add_nodes;
  /// One that the graph has already gets its weight, in a graph with weights,
  /// and changes nothing else.
  std::vector<Edge> add_edges;
  std::vector<NewFeatures> set_features;
  std::vector<NewLabel> set_labels;

  bool empty() const {
    return remove_edges.empty() && remove_nodes.empty() && add_nodes.empty() &&
           add_edges.empty() && set_features.empty() && set_labels.empty();
  }
};

/// What one change may hold.
struct ChangeLimits {
  int64_t max_nodes = 10000;          ///< named in one change
  int64_t max_edges = 100000;         ///< named in one change
  int64_t max_neighbours = 10000000;  ///< of one node afterwards
};

/// What changes touch, for who keeps something that follows from the graph.
struct ChangeEffect {
  std::vector<int64_t> list_rows;     ///< that receive from others than before
  std::vector<int64_t> feature_rows;  ///< with other features, new ones too
  std::vector<int64_t> removed_rows;
  bool all_features = false;  ///< the treatment of every row has changed
  bool labels = false;

  void merge(const ChangeEffect& later);
  /// The same of a graph whose rows were moved, where they are left.
  ChangeEffect moved(const core::RowMoves& moves) const;
  bool empty() const {
    return list_rows.empty() && feature_rows.empty() && removed_rows.empty() &&
           !all_features && !labels;
  }
};

}  // namespace ordered_gnn::data
