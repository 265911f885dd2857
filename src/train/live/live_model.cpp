#include "train/live/live_model.h"

#include <torch/types.h>

#include "core/out_of_memory.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "train/live/layer_update.h"

namespace ordered_gnn::training {
namespace {

// Rows of a dataset's nodes to rows of a graph that some have left.
at::Tensor spread(const at::Tensor& values, const std::vector<int64_t>& rows,
                  int64_t num_rows) {
  if (static_cast<int64_t>(rows.size()) == num_rows) return values;
  at::Tensor out = at::zeros({num_rows, values.size(1)}, values.options());
  return out.index_copy_(0, data::tensor_of(rows), values);
}

// Features of rows in the order that the model has learnt.
NodeFeatures matched_rows(const Trained& trained, const data::LiveGraph& graph,
                          const std::vector<int64_t>& rows) {
  NodeDataset part;
  part.name = graph.name();
  part.features = graph.treated_rows(rows);
  part.feature_names = graph.feature_names();
  part.columns = graph.columns();
  return match_features(trained, std::move(part)).features;
}

}  // namespace

LiveModel::LiveModel(Trained trained, PredictionOptions options)
    : trained_(std::move(trained)),
      options_(std::move(options)),
      network_(dynamic_cast<const OrderedGnn*>(trained_.model.get())) {
  trained_.model->eval();
}

void LiveModel::require_fit(const data::LiveGraph& graph,
                            const std::filesystem::path& where) const {
  ordered_gnn::require_fit(trained_, match_features(trained_, graph.dataset()),
                           where);
}

std::string LiveModel::whole_because(const data::LiveGraph& graph) const {
  if (network_ == nullptr) {
    return trained_.options.model + " is computed as a whole";
  }
  if (!graph.fixed_because().empty()) return graph.fixed_because();
  if (options_.correct_smooth.enabled) {
    return "Correct & Smooth spreads labels over all of the graph";
  }
  if (network_->needs_whole_graph()) {
    return "this network reads its graph as a whole";
  }
  const Aggregator aggregator = network_->options().aggregator;
  if (aggregator == Aggregator::gat || aggregator == Aggregator::signed_) {
    return fmt::format(
        "rows of the aggregator {} have other last bits when they are computed "
        "alone",
        to_string(aggregator));
  }
  return "";
}

int64_t LiveModel::state_bytes(int64_t rows) const {
  int64_t values = 2 * trained_.shape.num_classes;
  if (network_ != nullptr) {
    const OrderedGnnOptions& options = network_->options();
    values += (options.layers + 1) * options.hidden +
              options.layers * options.hidden / options.chunk;
  }
  return values * rows * static_cast<int64_t>(sizeof(float));
}

LiveStates LiveModel::computed_whole(const data::LiveGraph& graph) const {
  PredictionOptions options = options_;
  options.embeddings = network_ != nullptr;
  const std::vector<int64_t> rows = graph.rows();
  const Prediction said = predict(trained_, graph.dataset(), options);
  const auto table = [&](const at::Tensor& values) {
    return core::RowTable::of(
        spread(values.to(at::kFloat), rows, graph.num_rows()));
  };
  LiveStates out;
  out.logits = table(said.logits);
  out.probabilities = table(said.probabilities);
  if (said.embeddings.defined()) out.embeddings = table(said.embeddings);
  return out;
}

LiveStates LiveModel::computed(const data::LiveGraph& graph) const {
  if (!whole_because(graph).empty()) return computed_whole(graph);
  const torch::NoGradGuard no_grad;
  const ThreadScope threads(options_.execution.threads);
  return core::naming_activity("computing the states of all nodes", [&] {
    LayerUpdate run(*network_, graph, [&](const std::vector<int64_t>& rows) {
      return matched_rows(trained_, graph, rows);
    });
    return run.computed();
  });
}

LiveStates LiveModel::updated(const LiveStates& earlier,
                              const data::LiveGraph& graph,
                              const data::ChangeEffect& effect,
                              UpdateWork& work) const {
  if (earlier.layers.empty()) {
    work = {graph.num_nodes(), graph.num_nodes(), 1};
    return computed_whole(graph);
  }
  const torch::NoGradGuard no_grad;
  const ThreadScope threads(options_.execution.threads);
  return core::naming_activity("computing what a change reaches", [&] {
    LayerUpdate run(*network_, graph, [&](const std::vector<int64_t>& rows) {
      return matched_rows(trained_, graph, rows);
    });
    return run.updated(earlier, effect, work);
  });
}

}  // namespace ordered_gnn::training
