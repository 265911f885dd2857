#include "ordered_gnn/train/node_prediction.h"

#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "data/formats/tensor_of.h"
#include "data/grown_dataset.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"
#include "train/narrowing_pass.h"
#include "train/placement.h"

namespace ordered_gnn {
namespace {

using data::GrownDataset;

// A part of more than one in so many edges is not worth finding and gathering:
// all of the graph is computed.
constexpr int64_t kWholeFrom = 2;

const ModelEntry* entry_of(const Trained& trained) {
  if (!trained.model) throw UsageError("predict: there is no trained model");
  return trained.is_own_model ? nullptr : &find_model(trained.options.model);
}

// Parts of a graph have no weights of edges.
std::optional<ModelReach> reach_of(const Trained& trained,
                                   const GrownDataset& data,
                                   const PredictionOptions& options) {
  const ModelEntry* const entry = entry_of(trained);
  if (data.is_weighted() || options.correct_smooth.enabled ||
      entry == nullptr || entry->reach == nullptr ||
      trained.model->needs_whole_graph()) {
    return std::nullopt;
  }
  return entry->reach(trained.options.network);
}

std::string why_no_reach(const Trained& trained, const GrownDataset& data,
                         const PredictionOptions& options) {
  if (data.is_weighted()) return "its edges have weights";
  if (options.correct_smooth.enabled) {
    return "Correct & Smooth spreads labels over all of it";
  }
  return trained.is_own_model ? "it is not known how far the model looks"
                              : trained.options.model + " needs all of it";
}

Prediction rows_of(const Prediction& all, const at::Tensor& rows) {
  const auto taken = [&](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.index_select(0, rows) : tensor;
  };
  Prediction out{taken(all.logits),
                 taken(all.probabilities),
                 taken(all.labels),
                 taken(all.embeddings),
                 {}};
  for (const at::Tensor& gate : all.gates) out.gates.push_back(taken(gate));
  return out;
}

std::vector<int64_t> nodes_of(const at::Tensor& nodes) {
  const at::Tensor flat = nodes.contiguous();
  const int64_t* const begin = flat.data_ptr<int64_t>();
  return {begin, begin + flat.numel()};
}

// Computes some nodes of a dataset.
class NodePass {
 public:
  NodePass(const Trained& trained, const GrownDataset& data,
           const PredictionOptions& options)
      : trained_(trained),
        data_(data),
        options_(options),
        reach_(reach_of(trained, data, options)),
        is_told_(trained.model->told_labels().has_value()) {}

  NodePrediction run(const std::vector<int64_t>& nodes) const {
    NodePrediction out;
    out.nodes = data::tensor_of(nodes);
    for (const int64_t v : nodes) out.names.push_back(data_.name_of(v));
    // Without a node the shapes are still those of a pass.
    if (!run_part(nodes.empty() ? std::vector<int64_t>{0} : nodes, out)) {
      fill(data_.whole(), out.nodes, out);
    }
    return out;
  }

  // How far a change is heard; no value: everywhere.
  std::optional<int64_t> change_hops() const {
    if (!reach_) return std::nullopt;
    // A new message changes the two-hop lists of the receiver's receivers too.
    return reach_->hops + (reach_->reads_two_hop ? 1 : 0);
  }

 private:
  // False, with the reason, where all of the graph is to be computed.
  bool run_part(const std::vector<int64_t>& roots, NodePrediction& out) const {
    if (!reach_) {
      out.whole_because = why_no_reach(trained_, data_, options_);
      return false;
    }
    const std::optional<core::GraphPart> part = part_of(roots);
    if (!part) {
      out.whole_because = "the nodes hear most of it";
      return false;
    }
    const NodeDataset data = data_.part(*part, is_told_ ? options_.split : -1);
    if (is_told_ && !data.labels.ge(0).any().item<bool>()) {
      out.whole_because = "none of the labels that the model reads are near";
      return false;
    }
    const at::Tensor rows = out.nodes.clone();
    int64_t* const row = rows.data_ptr<int64_t>();
    std::transform(row, row + rows.numel(), row,
                   [&](int64_t v) { return part->place_of(v); });
    fill(data, rows, out);
    return true;
  }

  std::optional<core::GraphPart> part_of(
      const std::vector<int64_t>& roots) const {
    const core::GrownLists& lists = data_.in();
    const auto count = static_cast<int64_t>(roots.size());
    if (count > lists.num_nodes() / kWholeFrom + 1) return std::nullopt;
    return core::graph_part(lists, roots,
                            {reach_->hops, lists.num_edges() / kWholeFrom});
  }

  void fill(const NodeDataset& data, const at::Tensor& rows,
            NodePrediction& out) const {
    const auto* const network =
        dynamic_cast<const OrderedGnn*>(trained_.model.get());
    const bool narrows = network != nullptr && reach_ && !options_.gates &&
                         training::takes_loaded_data(options_.execution) &&
                         rows.numel() > 0 &&
                         rows.numel() <= data.num_nodes() / kWholeFrom;
    if (narrows) {
      Trained narrowing = trained_;
      narrowing.model =
          std::make_shared<training::NarrowingPass>(*network, nodes_of(rows));
      out.prediction = predict(narrowing, data, options_);
    } else {
      out.prediction = rows_of(predict(trained_, data, options_), rows);
    }
    out.computed_nodes = data.num_nodes();
    out.computed_edges = data.graph.num_edges();
  }

  const Trained& trained_;
  const GrownDataset& data_;
  const PredictionOptions& options_;
  const std::optional<ModelReach> reach_;
  const bool is_told_;
};

std::vector<int64_t> checked_nodes(const at::Tensor& nodes, int64_t num_nodes) {
  if (!nodes.defined() || nodes.dim() != 1 ||
      nodes.scalar_type() != at::kLong || !nodes.device().is_cpu()) {
    throw UsageError("predict_nodes: nodes must be [R] Long on cpu");
  }
  std::vector<int64_t> out = nodes_of(nodes);
  for (const int64_t v : out) {
    if (v >= 0 && v < num_nodes) continue;
    throw UsageError(
        fmt::format("predict_nodes: there is no node {}; nodes are 0 to {}", v,
                    num_nodes - 1));
  }
  return out;
}

// A part has other sizes than the data, so these are held against the model
// here.
void require_added_fit(const Trained& trained, const AddedNodes& added) {
  const ModelEntry* const entry = entry_of(trained);
  if (entry == nullptr || added.num_nodes() == 0 ||
      !is_per_node(entry->name, trained.options.network)) {
    return;
  }
  fail(
      "{} has parameters for the {} nodes it was trained on and none for new "
      "ones; train it again with them, or use another model",
      entry->name, trained.shape.num_nodes);
}

std::vector<int64_t> rows_wanted(const GrownDataset& data, AddedRows rows,
                                 const std::optional<int64_t>& hops) {
  std::vector<int64_t> nodes(static_cast<size_t>(data.num_new_nodes()));
  const int64_t first = data.num_nodes() - data.num_new_nodes();
  std::iota(nodes.begin(), nodes.end(), first);
  if (rows == AddedRows::new_nodes) return nodes;
  if (!hops) {
    nodes.resize(static_cast<size_t>(data.num_nodes()));
    std::iota(nodes.begin() + data.num_new_nodes(), nodes.end(), int64_t{0});
    return nodes;
  }
  for (const int64_t v : data.changed_nodes(*hops)) {
    if (v < first) nodes.push_back(v);
  }
  return nodes;
}

}  // namespace

NodePrediction predict_nodes(const Trained& trained, const NodeDataset& data,
                             const at::Tensor& nodes,
                             const PredictionOptions& options) {
  entry_of(trained);  // a model is there
  training::require_loaded_order(data, "predict_nodes");
  require_fit(trained, data);
  const ThreadScope threads(options.execution.threads);
  const GrownDataset grown(data);
  return NodePass(trained, grown, options)
      .run(checked_nodes(nodes, data.num_nodes()));
}

NodePrediction predict_nodes(const Trained& trained, const NodeDataset& data,
                             const at::Tensor& nodes) {
  return predict_nodes(trained, data, nodes, prediction_options(trained));
}

NodePrediction predict_added(const Trained& trained, const NodeDataset& data,
                             const AddedNodes& added, AddedRows rows,
                             const PredictionOptions& options) {
  require_added_fit(trained, added);
  training::require_loaded_order(data, "predict_added");
  require_fit(trained, data);
  const ThreadScope threads(options.execution.threads);
  const GrownDataset grown(data, added);
  const NodePass pass(trained, grown, options);
  return pass.run(rows_wanted(grown, rows, pass.change_hops()));
}

NodePrediction predict_added(const Trained& trained, const NodeDataset& data,
                             const AddedNodes& added, AddedRows rows) {
  return predict_added(trained, data, added, rows, prediction_options(trained));
}

}  // namespace ordered_gnn
