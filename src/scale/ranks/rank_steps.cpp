// Training steps of a rank: its parts forward and backward, and the gradients
// of all of them.
#include <torch/types.h>

#include <numeric>

#include "ordered_gnn/ops/cross_entropy.h"
#include "scale/ranks/fold.h"
#include "scale/ranks/own_backward.h"
#include "scale/ranks/part_run.h"
#include "scale/ranks/rank_progress.h"

namespace ordered_gnn::scale {
namespace {

// The step, and the nodes that the rows of a part are of: masks follow from
// these, wherever the rows are.
DropoutStep step_of(int64_t epoch, const at::Tensor& nodes) {
  return {torch::cat({torch::full({1}, epoch, nodes.options()), nodes})};
}

// Of all parts of a rank.
std::vector<int64_t> places_of(size_t parts) {
  std::vector<int64_t> all(parts);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

// The history of an epoch begins with the states of the whole graph, whether
// the epoch before was scored or the run was resumed.
void RankWork::begin_epoch() {
  if (!batches_ || batches_->is_exact(*model_)) return;
  compute_logits();
  for (const auto& part : parts_) part->logits.reset();
}

// Of all parts or of those of a batch, which it returns.
std::vector<int64_t> RankWork::train_parts(int64_t epoch, int64_t index) {
  if (batches_) {
    return batches_->run(epoch, index, [&](int64_t place, double weight) {
      PartRun& part = *parts_[place];
      train_part(part, epoch, batches_->graph_of(place, part.graph), weight);
    });
  }
  run_parts(PassKind::training, [&](PartRun& part) {
    train_part(part, epoch, part.graph, /*weight=*/1);
  });
  return places_of(parts_.size());
}

RankWork::StepLoss RankWork::step(int64_t epoch, int64_t index) {
  rank_progress().epoch = epoch;
  copy_parameters();
  return fold_step(train_parts(epoch, index));
}

RankWork::Both RankWork::evaluate_and_step(int64_t epoch) {
  rank_progress().epoch = epoch;
  gather_->begin();
  run_both(
      [&](PartRun& part) { train_part(part, epoch, part.graph, /*weight=*/1); },
      [&](PartRun& part) {
        const at::Tensor logits =
            logits_of(*part.model_beside, part.graph_beside, part);
        gather_->give(part.place, logits.index_select(0, part.scored));
      });
  Both both;
  both.logits = gather_->take();
  both.step = fold_step(places_of(parts_.size()));
  return both;
}

// Loss and gradients of what these parts have computed.
RankWork::StepLoss RankWork::fold_step(const std::vector<int64_t>& places) {
  const auto count = static_cast<int64_t>(places.size());
  const std::vector<int64_t> bounds =
      batches_ ? std::vector<int64_t>{0, count} : bounds_;
  std::vector<at::Tensor> losses;
  for (const int64_t place : places) {
    losses.push_back(torch::full({1}, parts_[place]->loss, torch::kDouble));
  }
  const at::Tensor loss = fold_parts(group_, bounds, std::move(losses));
  const at::Tensor flat = fold_parts(group_, bounds, take_gradients(places));
  if (group_.rank() > 0) return {};
  set_gradients(flat);
  const double share =
      batches_ ? static_cast<double>(count) / manifest_.num_parts() : 1;
  return {loss.item<double>(), share};
}

void RankWork::train_part(PartRun& part, int64_t epoch, const Graph& graph,
                          double weight) {
  ForwardContext context;
  context.training = true;
  context.seed = options_.train.seed;
  context.step = step_of(epoch, part.nodes);
  context.stored_logits = true;
  context.checkpoint_layers = options_.train.checkpoint_layers;
  part.model->train();
  part.model->zero_grad(/*set_to_none=*/true);
  const at::Tensor logits = part.model->forward(graph, part.features, context);
  // Without a training node a part still hands on the gradients of others.
  const at::Tensor loss =
      part.train_rows.numel() > 0
          ? cross_entropy(logits, part.train_rows, part.train_labels,
                          terms_.weights) *
                (part.share * weight)
          : (logits * 0).sum();
  part.loss = loss.item<double>();
  const OwnBackward own_backward(device_);
  loss.backward();
}

// The gradients of every part as one row of numbers; none of parameters that
// no part has a gradient of.
std::vector<at::Tensor> RankWork::take_gradients(
    const std::vector<int64_t>& places) {
  std::vector<at::Tensor> all;
  for (const int64_t place : places) {
    std::vector<at::Tensor> pieces;
    with_gradient_.clear();
    for (auto& item : parts_[place]->model->named_parameters()) {
      at::Tensor& gradient = item.value().mutable_grad();
      if (!gradient.defined()) continue;
      with_gradient_.push_back(item.key());
      pieces.push_back(gradient.reshape({-1}));
      gradient.reset();
    }
    all.push_back(pieces.empty() ? torch::zeros({0})
                                 : torch::cat(pieces).to(torch::kCPU));
    // Taken over by the sum, which writes into it.
    if (pieces.size() == 1) all.back() = all.back().clone();
  }
  return all;
}

void RankWork::set_gradients(const at::Tensor& flat) {
  auto parameters = model_->named_parameters();
  for (auto& item : parameters) item.value().mutable_grad().reset();
  int64_t begin = 0;
  for (const std::string& name : with_gradient_) {
    at::Tensor& parameter = parameters[name];
    const int64_t count = parameter.numel();
    parameter.mutable_grad() =
        flat.narrow(0, begin, count).view(parameter.sizes());
    begin += count;
  }
}

}  // namespace ordered_gnn::scale
