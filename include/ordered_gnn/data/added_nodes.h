#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// Nodes and edges that join a dataset of N nodes. The new nodes are N, N + 1,
/// ... in the order of their rows.
struct AddedNodes {
  /// One each, none of them a name of the dataset; empty: their numbers.
  std::vector<std::string> names;
  /// [n, F] float32 on the CPU, before the treatment: it is that of the
  /// dataset, with the dataset's minimum where one was subtracted. Undefined
  /// when there are only edges.
  at::Tensor features;
  /// [2, m] int64 on the CPU, as RawDataset::edges, between any nodes: they are
  /// read in the direction of the dataset's treatment, and loops are treated as
  /// it says. One that the graph has already changes nothing. Undefined: none.
  at::Tensor edges;

  int64_t num_nodes() const {
    return features.defined() ? features.size(0) : 0;
  }
};

/// The dataset with the nodes and edges: what loading all of it at once would
/// give, but for the minimum of the features, which stays that of `data`. New
/// nodes have no label and are in no split. Takes time and memory for a copy of
/// all of it; predict_added() does without.
/// @throws Error when the parts do not fit the dataset, naming what does not:
///         features of another width or not finite, names that are taken or
///         another number of them, an edge to a node that is not there, nodes
///         for a dataset whose features are node ids, or a dataset that has
///         been reordered(): add to it before.
NodeDataset with_added(const NodeDataset& data, const AddedNodes& added);

}  // namespace ordered_gnn
