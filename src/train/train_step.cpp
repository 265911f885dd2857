#include "train/train_step.h"

#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/data/node_order.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "train/class_weights.h"
#include "train/optimizer_groups.h"

namespace ordered_gnn::training {
namespace {

// The last of the 2^16 dropout sites, which no model reaches from below. Edges
// take two.
constexpr int64_t kDropEdgesSite = 0xFFFE;
constexpr int64_t kLabelSite = 0xFFFD;

}  // namespace

TrainStep::TrainStep(NodeModel& model, const NodeDataset& data,
                     const Split& split, const TrainOptions& options)
    : model_(model),
      data_(data),
      options_(options),
      adam_(optimizer_groups(model, options)),
      all_(training_labels(data, split)),
      weights_(class_weights(options.class_weights, data, all_)),
      context_(model, data, all_, {options.layout_cache}) {
  const int64_t count = all_.nodes.numel();
  // With most nodes in it, the shorter pass would copy more than it saves.
  const bool few = count > 0 && 8 * count <= 7 * data.num_nodes();
  const bool weighted = data.graph.weights().defined();
  if (few && !weighted && options.drop_edge == 0 && !model.told_labels() &&
      model.has_receivers_pass(training(0), all_.nodes.device())) {
    receivers_ = receiver_lists(data.graph, all_.nodes);
    rows_ = at::arange(count, all_.nodes.options());
  }
}

at::Tensor TrainStep::evaluate() {
  const torch::NoGradGuard no_grad;
  model_.eval();
  return in_loaded_order(
      data_, model_.forward(data_.graph, data_.features, evaluation()));
}

ForwardContext TrainStep::evaluation() const { return context_.forward(); }

ForwardContext TrainStep::training(const DropoutStep& step) const {
  ForwardContext context = evaluation();
  context.training = true;
  context.seed = options_.seed;
  context.step = step;
  context.fused = fused_;
  context.checkpoint_layers = options_.checkpoint_layers;
  context.stored_logits = true;
  return context;
}

at::Tensor TrainStep::loss(const DropoutStep& step) {
  ForwardContext context = training(step);
  model_.train();
  if (receivers_ && fused_) {
    return loss_of(model_.forward_receivers(data_.graph, data_.features,
                                            context, *receivers_),
                   rows_, all_.labels);
  }
  const Graph graph = drop_edges(data_.graph, options_.drop_edge,
                                 {options_.seed, step, kDropEdgesSite});
  SharedLabels labels{{}, all_};
  if (const auto rate = model_.told_labels()) {
    labels = share_labels(all_, *rate, {options_.seed, step, kLabelSite});
    context.known = &labels.told;
  }
  const at::Tensor logits = model_.forward(graph, data_.features, context);
  return loss_of(logits, labels.asked.nodes, labels.asked.labels);
}

// A model of the caller's own may compute in double.
at::Tensor TrainStep::loss_of(const at::Tensor& logits, const at::Tensor& rows,
                              const at::Tensor& labels) const {
  const bool is_double = logits.scalar_type() == at::kDouble;
  return cross_entropy(
      logits, rows, labels,
      weights_.defined() && is_double ? weights_.to(at::kDouble) : weights_);
}

void TrainStep::backward(const at::Tensor& loss) {
  adam_.zero_grad();
  if (loss.requires_grad()) loss.backward();
}

double TrainStep::run(int64_t epoch, double lr) {
  const at::Tensor result = loss(epoch);
  const double value = result.item<double>();
  if (!std::isfinite(value)) return value;
  update(result, lr);
  return value;
}

void TrainStep::update(const at::Tensor& loss, double lr) {
  backward(loss);
  if (options_.clip_norm > 0) adam_.clip_gradients(options_.clip_norm);
  adam_.step(lr);
}

at::Tensor TrainStep::loss_on(const Graph& graph, const NodeFeatures& features,
                              const DropoutStep& step, const at::Tensor& rows,
                              const at::Tensor& labels) {
  model_.train();
  return loss_of(model_.forward(graph, features, training(step)), rows, labels);
}

}  // namespace ordered_gnn::training
