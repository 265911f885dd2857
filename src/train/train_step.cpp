#include "ordered_gnn/train/train_step.h"

#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

namespace ordered_gnn {
namespace {

std::vector<Adam::Parameter> optimizer_groups(NodeModel& model,
                                              const TrainOptions& options) {
  std::vector<Adam::Parameter> groups;
  for (auto& item : model.named_parameters()) {
    double l2 = options.l2_xi;
    switch (NodeModel::role_of(item.key())) {
      case ParameterRole::theta:
        l2 = options.l2_theta;
        break;
      case ParameterRole::xi:
        break;
      case ParameterRole::input_norm:
        if (options.input_norm == InputNorm::frozen) {
          item.value().set_requires_grad(false);
          continue;
        }
        l2 = options.input_norm == InputNorm::decay ? options.l2_theta : 0.0;
        break;
    }
    groups.push_back({item.key(), item.value(), l2});
  }
  return groups;
}

}  // namespace

TrainStep::TrainStep(NodeModel& model, const NodeDataset& data,
                     const Split& split, const TrainOptions& options)
    : model_(model),
      data_(data),
      options_(options),
      adam_(optimizer_groups(model, options)) {
  const at::Tensor labels = data.labels.index_select(0, split.train);
  nodes_ = split.train.masked_select(labels.ge(0));
  labels_ = data.labels.index_select(0, nodes_);
}

double TrainStep::run(int64_t epoch, double lr) {
  ForwardContext context;
  context.training = true;
  context.seed = options_.seed;
  context.step = epoch;
  context.fused = fused_;
  context.checkpoint_layers = options_.checkpoint_layers;
  model_.train();
  const at::Tensor logits =
      model_.forward(data_.graph, data_.features, context);
  const at::Tensor loss = torch::nn::functional::cross_entropy(
      logits.index_select(0, nodes_), labels_);
  const double value = loss.item<double>();
  if (!std::isfinite(value)) return value;
  adam_.zero_grad();
  loss.backward();
  if (options_.clip_norm > 0) adam_.clip_gradients(options_.clip_norm);
  adam_.step(lr);
  return value;
}

}  // namespace ordered_gnn
