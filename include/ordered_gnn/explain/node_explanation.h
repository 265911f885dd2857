#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/node_table.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

struct NodeExplanationOptions {
  /// The tree goes down to the hop where the shares reach this; see
  /// depth_that_matters(). Models without shares: two hops, or what they have.
  double covered = 0.95;
  int64_t max_children = 8;      ///< of one node of the tree
  int64_t max_tree_nodes = 200;  ///< of the whole tree, the root among them
  int64_t max_removals = 32;     ///< neighbours that are tried; 0: none
  /// Work of all removals together: edges that are read, layer by layer. On a
  /// large graph it may leave room for fewer removals, at least one.
  int64_t max_edge_visits = 100000000;
};

/// A node of the rooted tree.
struct TreeNode {
  int64_t node = 0;
  int64_t parent = -1;   ///< place in NodeExplanation::tree; -1 for the root
  int64_t depth = 0;     ///< hops from the root
  int64_t left_out = 0;  ///< children that a cap keeps out of the tree
};

/// What the nodes of one hop say: those whose messages reach the node after
/// `hop` rounds and not before.
struct HopView {
  int64_t hop = 0;
  int64_t nodes = 0;
  /// Labelled nodes per class, [C]. Labels are the dataset's, those of the test
  /// part among them, which the model has never seen.
  std::vector<int64_t> labels;
  int64_t unlabelled = 0;
  std::vector<int64_t> predictions;  ///< nodes per predicted class, [C]
};

/// The answer when message passing ends after some hops.
struct CutPrediction {
  int64_t hops = 0;
  int64_t predicted = 0;
  std::vector<float> probabilities;  ///< [C]
};

/// What changes when one neighbour is taken out of the graph.
struct Influence {
  int64_t node = 0;
  int64_t distance = 0;  ///< hops
  /// Probability of the class that is predicted now, without the neighbour
  /// minus with it: negative for a neighbour that supports the prediction.
  double change = 0;
  int64_t predicted = 0;  ///< the prediction without it
};

/// Why a model says what it says of one node. Parts that do not apply are
/// empty.
struct NodeExplanation {
  int64_t node = 0;
  int64_t label = -1;
  int64_t predicted = 0;
  std::vector<float> logits;         ///< [C]
  std::vector<float> probabilities;  ///< [C]
  int64_t degree = 0;                ///< see NodeTable
  double homophily = 0;              ///< see NodeTable
  std::vector<double> hop_shares;    ///< K + 1; empty without shares
  int64_t depth = 0;                 ///< of the tree that matters
  /// Breadth first from the root, which is `node`. Children are in-neighbours,
  /// and out-neighbours too for a network that splits the directions.
  /// Every node is in it once, at the place where its message first arrives;
  /// of several parents it has the first. Where a cap leaves children out,
  /// those with the most in-neighbours stay.
  std::vector<TreeNode> tree;
  /// Hop 0 (the node itself) to K, or to the last hop that reaches a new node;
  /// two hops for a model that does not show its layers.
  std::vector<HopView> hops;
  /// For hops 0 to K, as far as the states of inner layers are input of the
  /// output layer (NodeModel::classify).
  std::vector<CutPrediction> cuts;
  /// Removals that were tried, strongest change first. Removing a node takes
  /// away all its edges, those to it, those from it and its loop; degrees and
  /// normalisations follow. Tried are nodes within `depth` hops, nearest first,
  /// of those with the most in-neighbours first.
  std::vector<Influence> influences;
  int64_t num_candidates = 0;  ///< nodes within `depth` hops, tried or not
};

/// @param nodes  describe_nodes() of the same model and data, from which the
///               other nodes' predictions are read: for several explanations of
///               one graph, see also GraphExplanation::nodes.
///
/// The node's own numbers and every removal equal those of a run on the whole
/// graph. The Ordered GNN computes in every layer the rows alone that matter to
/// the node, and for a removal those that also change (not with the gcn
/// aggregator); other models run on the part of the graph that the node can
/// hear, those that do not show their layers on all of it, and so do those that
/// read training labels (they are told those of the table's training part) or a
/// layout of the graph (it stays that of the whole graph), or that needs the
/// whole graph (NodeModel::needs_whole_graph()).
/// @throws Error naming the range when there is no such node, and when the
///         table is of another graph or an option is out of range.
NodeExplanation explain_node(NodeModel& model, const NodeDataset& data,
                             const NodeTable& nodes, int64_t node,
                             const NodeExplanationOptions& options = {});

/// The same with a forward pass over the whole graph first, and the parts of
/// the first split.
NodeExplanation explain_node(NodeModel& model, const NodeDataset& data,
                             int64_t node,
                             const NodeExplanationOptions& options = {});

}  // namespace ordered_gnn
