#include "ordered_gnn/train/prediction.h"

#include <torch/types.h>

#include "ordered_gnn/ops/cross_entropy.h"
#include "train/device_work.h"
#include "train/evaluation_context.h"
#include "train/known_labels.h"

namespace ordered_gnn {

namespace {

Prediction predict_there(NodeModel& model, const NodeDataset& data,
                         const PredictionOptions& options) {
  const torch::NoGradGuard no_grad;
  model.eval();
  ForwardTrace trace;
  const bool traced = options.embeddings || options.gates;
  Prediction out;
  const train::EvaluationContext context(model, data, options.split);
  at::Tensor logits = model.forward(
      data.graph, data.features, context.forward(), traced ? &trace : nullptr);
  if (options.correct_smooth.enabled) {
    logits = correct_and_smooth(data.graph, logits,
                                train::training_labels(data, options.split),
                                options.correct_smooth);
  }
  out.logits = logits.cpu();
  out.probabilities = out.logits.softmax(1);
  out.labels = out.logits.argmax(1);
  const auto fetched = [](const at::Tensor& tensor) {
    const bool is_half = tensor.scalar_type() == at::kBFloat16;
    return is_half ? tensor.to(at::kCPU, at::kFloat) : tensor.cpu();
  };
  if (options.embeddings) out.embeddings = fetched(trace.embeddings);
  if (options.gates) {
    for (const at::Tensor& gate : trace.gates) {
      out.gates.push_back(fetched(gate));
    }
  }
  return out;
}

}  // namespace

Prediction predict(NodeModel& model, const NodeDataset& data,
                   const PredictionOptions& options) {
  return train::on_device(data.labels.device(),
                          [&] { return predict_there(model, data, options); });
}

int64_t prediction_bytes(const RunOptions& run, const NodeDataset& data,
                         const PredictionOptions& options) {
  constexpr int64_t kFloat = 4;
  const OrderedGnnOptions& network = run.network;
  const int64_t nodes = data.num_nodes();
  const int64_t state = kFloat * nodes * network.hidden;
  const int64_t scores = kFloat * nodes * data.num_classes;
  int64_t bytes = 2 * state + 2 * scores + 8 * nodes;
  if (run.model == "mlp") return bytes;
  const bool is_gated = run.model == "ordered_gnn" || run.model == "gated_gnn";
  if (!is_gated) return bytes + 3 * state;
  const int64_t gate = state / network.chunk;
  // One op after the other holds m, the logits and two more states, and
  // attention a few numbers per edge.
  if (!has_fused_layers(network)) bytes += 3 * state + gate;
  if (!is_scaled(network.aggregator))
    bytes += 4 * kFloat * data.graph.num_edges();
  bytes += options.gates ? (network.layers + 1) * gate : 2 * gate;
  return bytes + 4 * kFloat * nodes;  // means and deviations of the norms
}

double labelled_loss(const at::Tensor& logits, const at::Tensor& labels,
                     const at::Tensor& nodes) {
  const torch::NoGradGuard no_grad;
  const at::Tensor labelled =
      nodes.masked_select(labels.index_select(0, nodes).ge(0));
  return cross_entropy(logits, labelled, labels.index_select(0, labelled))
      .item<double>();
}

}  // namespace ordered_gnn
