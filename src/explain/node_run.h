#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "explain/heard_part.h"
#include "explain/rooted_tree.h"
#include "ordered_gnn/explain/node_explanation.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn::explain {

/// What a model says of one node.
struct Answer {
  std::vector<float> logits;
  std::vector<double> probabilities;
  int64_t predicted = 0;
};

/// @param logits  of one node, [C] or [1, C].
Answer answer_of(const at::Tensor& logits);
CutPrediction cut_after(int64_t hops, const Answer& answer);

/// What a model says of one node now, cut after every hop, and without each of
/// the first candidates, as many as the options have room for.
struct NodeRun {
  Answer now;
  std::vector<CutPrediction> cuts;
  std::vector<Answer> without;
};

/// What is asked of a run.
struct NodeRequest {
  const NodeDataset& data;
  int64_t node;
  const std::vector<Candidate>& candidates;
  const NodeExplanationOptions& options;
  ForwardContext context =
      {};  ///< labels and preparation are of the whole graph
};

/// For any model: runs on the part of the graph that the node hears.
/// @param rounds  of messages; -1 when they are not known.
NodeRun run_heard_part(NodeModel& model, const NodeRequest& request,
                       int64_t rounds);

/// Whether run_layer_by_layer() is exact for a model.
bool has_local_layers(const OrderedGnn& model);

/// The same for fewer rows: in every layer those alone that the node still
/// depends on, and of a graph without a neighbour those alone that also differ
/// from the graph with it.
/// @param reached  the nodes within as many rounds as the model has layers.
NodeRun run_layer_by_layer(const OrderedGnn& model, const NodeRequest& request,
                           const Reached& reached);

}  // namespace ordered_gnn::explain
