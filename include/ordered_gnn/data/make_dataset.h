#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// What there is to say of a graph that is given as arrays.
struct ArrayOptions {
  std::string name = "arrays";
  std::vector<std::string> node_names;   ///< empty: nodes are 0 .. N-1
  std::vector<std::string> class_names;  ///< empty: classes are 0 .. C-1
  TreatmentChoice treatment;
  /// True when every undirected edge is listed once, in either direction.
  bool undirected = false;
  /// [E] float32 on the CPU, one for every edge, finite and 0 or more;
  /// undefined: edges have no weights.
  at::Tensor edge_weights;
  /// Splits to train on. Where there are none and nodes are labelled, they are
  /// drawn: see split_set.
  std::vector<Split> splits;
  /// Form of drawn splits, see parse_random_splits(); "none": draw none. When
  /// it is "auto", stratified:60/20/20x10, and none when too few nodes are
  /// labelled for that: ten and no error, where load_training_dataset() draws
  /// one split and throws, since arrays may be there to predict on.
  std::string split_set = "auto";
  uint64_t split_seed = 0;
};

/// A dataset from arrays in memory, checked, treated and fingerprinted as one
/// from files: a message goes along every edge from its first node to its
/// second, unless the treatment says otherwise. What was chosen is in
/// provenance.notes. The fingerprint is of the content, so that a run can only
/// be resumed with the same arrays.
///
/// @param edges     [E, 2] int64, node ids in [0, N); E may be 0.
/// @param features  [N, F] float32, finite, N and F at least 1.
/// @param labels    [N] int64, -1 for unlabelled; classes are 0 .. the largest.
///                  Undefined: no node has a label.
/// All on the CPU; they are shared, not copied, where they are contiguous.
/// @throws UsageError naming the argument, what was expected and what was
///         found; Error as validate() and random_splits() do.
NodeDataset make_dataset(const at::Tensor& edges, const at::Tensor& features,
                         const at::Tensor& labels = {},
                         const ArrayOptions& options = {});

/// The same for features of any kind.
NodeDataset make_dataset(const at::Tensor& edges, const NodeFeatures& features,
                         const at::Tensor& labels = {},
                         const ArrayOptions& options = {});

}  // namespace ordered_gnn
