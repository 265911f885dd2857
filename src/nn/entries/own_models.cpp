#include <algorithm>
#include <memory>
#include <string>

#include "nn/baselines/gnn_presets.h"
#include "nn/baselines/mlp.h"
#include "nn/entries/model_entry.h"
#include "nn/model_traits.h"
#include "nn/pass_memory.h"
#include "ordered_gnn/nn/ordered_gnn.h"

// The paper's network, its ablations and the perceptron it starts from.
namespace ordered_gnn::nn {
namespace {

using Names = std::vector<std::string>;

const char* const kAblation =
    "Is an ablation of the Ordered GNN as a model of its own.";

// What the Ordered GNN reads, but for what a preset of it has no use for.
Names ordered_reads(const Names& without) {
  Names all = option_names(ordered_gnn_option_table());
  for (const char* of_training :
       {"l2-theta", "l2-xi", "input-norm", "checkpoint-layers"}) {
    all.emplace_back(of_training);
  }
  Names names;
  for (const std::string& name : all) {
    const bool left_out =
        std::find(without.begin(), without.end(), name) != without.end();
    if (!left_out) names.push_back(name);
  }
  return names;
}

// The Ordered GNN of the gates that kNetwork gives it, whatever --gating says.
template <OrderedGnnOptions (*kNetwork)(const ModelOptions&)>
ModelEntry ordered_entry(const char* name, const char* summary,
                         const Names& without) {
  ModelEntry entry = entry_of(
      name, summary,
      [](const ModelShape& shape, const ModelOptions& options,
         int64_t seed) -> std::shared_ptr<NodeModel> {
        return std::make_shared<OrderedGnn>(shape, kNetwork(options), seed);
      });
  entry.paper =
      "Ordered GNN: Ordering Message Passing to Deal with Heterophily and "
      "Over-smoothing, 2023";
  entry.reads = ordered_reads(without);
  entry.reach = &reach_of_ordered_layers;
  entry.check = [](const ModelOptions& options) {
    validate(kNetwork(options));
  };
  entry.why_no_weights = &reads_weights_in_layers;
  entry.training_rows = &trains_ordered<kNetwork>;
  entry.as_ordered_gnn = kNetwork;
  entry.has_node_parameters = &learns_node_ids;
  entry.why_no_parts = &takes_parts_in_layers;
  return entry;
}

ModelEntry ordered_gnn_entry() {
  ModelEntry entry = ordered_entry<&itself>(
      "ordered_gnn",
      "Ordered GNN: neurons ordered by hop, gates split ego from neighbours",
      {});
  entry.why_unread = &no_gates_to_set;
  entry.why_no_bf16 = &takes_bf16;
  entry.prediction_rows = &predicts_gated<&itself>;
  return entry;
}

ModelEntry mlp_entry() {
  ModelEntry entry = entry_of(
      "mlp", "multi-layer perceptron on the node's own features", kMakeMlp);
  entry.reads = {"hidden", "mlp-layers", "dropout-theta", "l2-theta",
                 "input-norm"};
  entry.reach = &reach_of_mlp;
  entry.why_no_bf16 = &takes_bf16;
  entry.prediction_rows = &predicts_as_mlp;
  entry.training_rows = &trains_ordered<&without_layers>;
  entry.as_ordered_gnn = &without_layers;
  entry.why_no_parts = &takes_parts;
  return entry;
}

ModelEntry gated_gnn_entry() {
  ModelEntry entry = ordered_entry<&with_simple_gates>(
      "gated_gnn", "GNN with simple gates: the Ordered GNN without order",
      {"gating"});
  entry.remarks = kAblation;
  entry.defaults = {{"gating", "simple"}};
  entry.why_unread = &no_candidate_to_set;
  entry.prediction_rows = &predicts_gated<&with_simple_gates>;
  return entry;
}

ModelEntry bare_gnn_entry() {
  ModelEntry entry = ordered_entry<&without_gates>(
      "bare_gnn", "GNN without gates: norm(aggregate(h)), layer by layer",
      {"gating", "chunk", "tied-gates"});
  entry.remarks = kAblation;
  entry.defaults = {{"gating", "none"}};
  entry.why_unread = &no_candidate_to_set;
  return entry;
}

}  // namespace

std::vector<ModelEntry> own_models() {
  return {ordered_gnn_entry(), mlp_entry(), gated_gnn_entry(),
          bare_gnn_entry()};
}

}  // namespace ordered_gnn::nn
