#include "ordered_gnn/train/prediction.h"

#include <torch/nn/functional/loss.h>
#include <torch/types.h>

namespace ordered_gnn {

Prediction predict(NodeModel& model, const NodeDataset& data,
                   const PredictionOptions& options) {
  const torch::NoGradGuard no_grad;
  model.eval();
  ForwardTrace trace;
  const bool traced = options.embeddings || options.gates;
  Prediction out;
  out.logits =
      model.forward(data.graph, data.features, {}, traced ? &trace : nullptr);
  out.probabilities = out.logits.softmax(1);
  out.labels = out.logits.argmax(1);
  if (options.embeddings) out.embeddings = trace.embeddings;
  if (options.gates) out.gates = std::move(trace.gates);
  return out;
}

double cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                     const at::Tensor& nodes) {
  const torch::NoGradGuard no_grad;
  const at::Tensor labelled =
      nodes.masked_select(labels.index_select(0, nodes).ge(0));
  return torch::nn::functional::cross_entropy(logits.index_select(0, labelled),
                                              labels.index_select(0, labelled))
      .item<double>();
}

}  // namespace ordered_gnn
