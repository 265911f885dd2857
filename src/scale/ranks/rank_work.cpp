#include "scale/ranks/rank_work.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <numeric>

#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "scale/parts/estimate.h"
#include "scale/ranks/fold.h"
#include "scale/ranks/halo_degrees.h"
#include "scale/ranks/rank_progress.h"
#include "scale/ranks/scored_nodes.h"
#include "train/batch_choice.h"

namespace ordered_gnn::scale {

struct RankWork::PartRun {
  int64_t place = 0;  ///< among the parts of the rank
  Graph graph;
  NodeFeatures features;
  at::Tensor labels, splits, original;
  at::Tensor scored;  ///< rows that evaluation hands over
  std::shared_ptr<NodeModel> model;
  at::Tensor train_rows, train_labels;
  double share = 0;  ///< of the loss
  double loss = 0;
  at::Tensor logits;
};

namespace {

ModelShape shape_of(const PartsManifest& manifest) {
  return {manifest.num_features, manifest.num_classes,
          manifest.sparse_features ? NodeFeatures::Kind::sparse
                                   : NodeFeatures::Kind::dense,
          manifest.num_nodes};
}

void fill_part(const Part& part, RankWork::PartRun& run) {
  run.scored = scored_rows(part);
  run.features = part.features;
  run.labels = part.labels;
  run.splits = part.splits;
  run.original = part.original;
}

// Degrees are fetched once, by `now`; passes fetch rows by `later`.
void make_graph(const LocalLists& own,
                const std::shared_ptr<core::RowExchange>& now,
                const std::shared_ptr<core::RowExchange>& later,
                RankWork::PartRun& part) {
  const auto halo = static_cast<int64_t>(own.halo.size());
  std::vector<int64_t> receive_only;
  for (int64_t i = 0; i < halo; ++i) {
    if (!own.sends[i]) receive_only.push_back(part.original.numel() + i);
  }
  part.graph = Graph::of_part(
      own.in, own.out, degrees_with_halo(own.in.rowptr, receive_only, *now),
      later);
}

// The step, and the nodes that the rows of a part are of: masks follow from
// these, wherever the rows are.
DropoutStep step_of(int64_t epoch, const at::Tensor& original) {
  return {torch::cat({torch::full({1}, epoch, torch::kLong), original})};
}

// Null where a step is of all parts. Other ranks have no histories to show.
std::unique_ptr<PartBatches> make_batches(Group& group,
                                          const PartsManifest& manifest,
                                          const std::vector<LocalLists>& lists,
                                          const RunOptions& options,
                                          int64_t threads) {
  const training::BatchChoice choice =
      training::parse_batch(options.train.batch);
  if (!choice.in_parts() || group.size() > 1) return nullptr;
  return std::make_unique<PartBatches>(
      group, manifest, lists,
      BatchSettings{choice.parts, options.train.history == History::on,
                    options.train.seed, options.network.layers, threads});
}

std::vector<at::Tensor> originals(const std::vector<Part>& parts) {
  std::vector<at::Tensor> ids;
  for (const Part& part : parts) ids.push_back(part.original);
  return ids;
}

}  // namespace

RankWork::RankWork(Group& group, const std::filesystem::path& folder,
                   const PartsManifest& manifest, const RunOptions& options,
                   int64_t threads, Wire wire, const SpillOptions* spill)
    : group_(group),
      manifest_(manifest),
      options_(options),
      bounds_(rank_bounds(manifest.bounds, group.size())),
      shape_(shape_of(manifest)),
      wire_(wire),
      threads_(threads) {
  if (spill != nullptr) {
    TORCH_CHECK(group.size() == 1, "one rank alone can spill");
    spill_ =
        std::make_unique<SpillRoom>(manifest_, options_, *spill, threads, wire);
    read_spilled(folder);
    return;
  }
  team_ = std::make_unique<PartTeam>(
      bounds_[group.rank() + 1] - bounds_[group.rank()], threads);
  read_parts(folder);
}

RankWork::~RankWork() = default;

void RankWork::read_parts(const std::filesystem::path& folder) {
  std::vector<Part> parts;
  for (int64_t p = bounds_[group_.rank()]; p < bounds_[group_.rank() + 1];
       ++p) {
    parts.push_back(read_part(folder, manifest_, p));
    lists_.push_back(local_lists(parts.back()));
    parts.back().in = parts.back().out = {};
  }
  routes_ = make_routes(group_, manifest_, bounds_, lists_);
  share_nodes(group_, originals(parts), routes_.in);
  exchange_ = std::make_unique<HaloExchange>(group_, routes_, *team_,
                                             options_.network.layers, wire_);
  batches_ = make_batches(group_, manifest_, lists_, options_, threads_);
  for (const Part& part : parts) {
    parts_.push_back(std::make_unique<PartRun>());
    fill_part(part, *parts_.back());
    parts_.back()->place = static_cast<int64_t>(parts_.size()) - 1;
  }
  exchange_->uncounted([this] {
    run_parts(PassKind::reading, [this](PartRun& part) {
      const LocalLists& own = lists_[part.place];
      const auto whole =
          exchange_->of_part(part.place, static_cast<int64_t>(own.halo.size()));
      make_graph(own, whole,
                 batches_ ? batches_->exchange_of(part.place, whole) : whole,
                 part);
    });
  });
}

// In the last layer of a training step rows go to training nodes alone, and
// gradients come from them alone.
void RankWork::route_loss() {
  using Side = core::RowExchange::Side;
  exchange_->use_loss_routes(nullptr);
  run_parts(PassKind::reading, [&](PartRun& part) {
    at::Tensor is_trained =
        torch::zeros({lists_[part.place].rows(), 1}, torch::kLong);
    is_trained.index_fill_(0, part.train_rows, 1);
    mark_loss(part.graph.exchange()->fetch(is_trained, Side::out),
              lists_[part.place]);
  });
  loss_routes_ =
      make_routes(group_, manifest_, bounds_, lists_,
                  &LocalLists::sends_to_loss, &LocalLists::receives_for_loss);
  std::vector<at::Tensor> original;
  for (const auto& part : parts_) original.push_back(part->original);
  share_nodes(group_, original, loss_routes_.in);
  exchange_->use_loss_routes(&loss_routes_);
}

// One after the other, each into the memory of its own turn.
void RankWork::read_spilled(const std::filesystem::path& folder) {
  for (int64_t p = 0; p < manifest_.num_parts(); ++p) {
    parts_.push_back(std::make_unique<PartRun>());
    parts_.back()->place = p;
  }
  run_parts(PassKind::reading, [&](PartRun& run) {
    LocalLists lists;
    {
      const Part part = read_part(folder, manifest_, run.place);
      fill_part(part, run);
      lists = local_lists(part);
    }
    const auto exchange = spill_->of_part(run.place, lists);
    make_graph(lists, exchange, exchange, run);
  });
}

void RankWork::run_parts(PassKind kind,
                         const std::function<void(PartRun&)>& body) {
  const auto of_place = [&](int64_t place) { body(*parts_[place]); };
  if (spill_) {
    spill_->run(static_cast<int64_t>(kind), of_place);
    return;
  }
  exchange_->reset();
  team_->run(of_place, [this] { exchange_->abort(); });
  exchange_->settle();
}

void RankWork::use_model(NodeModel& model) {
  model_ = &model;
  const torch::NoGradGuard no_grad;
  const auto own = model.named_parameters();
  for (const auto& part : parts_) {
    if (!part->model) {
      part->model = create_model(options_.model, shape_, options_.network,
                                 options_.train.seed);
    }
    for (auto& item : part->model->named_parameters()) {
      const at::Tensor* const shared = own.find(item.key());
      TORCH_CHECK(shared != nullptr, "the model has no ", item.key());
      item.value().set_data(shared->detach());
      item.value().set_requires_grad(shared->requires_grad());
    }
  }
}

// Only a bound from below refuses.
void RankWork::require_training_memory() const {
  if (spill_) return;  // which has asked for less
  const int64_t first = bounds_[group_.rank()];
  const int64_t last = bounds_[group_.rank() + 1];
  // The largest batch is no smaller than the mean of all.
  const int64_t least = least_training_bytes(manifest_, first, last,
                                             options_.model, options_.network) /
                        steps_per_epoch();
  require_memory(
      least, manifest_.name,
      fmt::format("training {} on parts {} to {} of {} on one rank",
                  options_.model, first, last - 1, manifest_.num_parts()));
}

void RankWork::use_loss(const LossTerms& terms) {
  require_training_memory();
  terms_ = terms;
  for (const auto& part : parts_) {
    const at::Tensor mask =
        part->splits[terms.split].eq(1).logical_and(part->labels.ge(0));
    part->train_rows = mask.nonzero().flatten();
    part->train_labels = part->labels.index_select(0, part->train_rows);
    const double weight =
        terms.weights.defined()
            ? terms.weights.index_select(0, part->train_labels)
                  .sum(torch::kDouble)
                  .item<double>()
            : static_cast<double>(part->train_rows.numel());
    part->share = weight / terms.total_weight;
  }
  // In a batch rows come from histories as well.
  if (exchange_ && !batches_) exchange_->uncounted([this] { route_loss(); });
}

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
  std::vector<int64_t> all(parts_.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

RankWork::StepLoss RankWork::step(int64_t epoch, int64_t index) {
  rank_progress().epoch = epoch;
  const std::vector<int64_t> places = train_parts(epoch, index);
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
  context.step = step_of(epoch, part.original);
  context.stored_logits = true;
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
    all.push_back(pieces.empty() ? torch::zeros({0}) : torch::cat(pieces));
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

// Outside training, of all rows of every part.
void RankWork::compute_logits() {
  if (batches_) batches_->begin_whole();
  run_parts(PassKind::evaluation, [](PartRun& part) {
    const torch::NoGradGuard no_grad;
    part.model->eval();
    part.logits =
        part.model->forward(part.graph, part.features, {}).contiguous();
  });
  if (batches_) batches_->end_whole(*model_);
}

void RankWork::predict(const OnPart& on_part) {
  compute_logits();
  const bool is_first = group_.rank() == 0;
  for (int64_t r = 0; r < group_.size(); ++r) {
    for (int64_t p = bounds_[r]; p < bounds_[r + 1]; ++p) {
      if (r == group_.rank()) {
        at::Tensor& logits = parts_[p - bounds_[r]]->logits;
        if (is_first) {
          on_part(p, logits);
        } else {
          group_.send(logits, 0);
        }
        logits.reset();
      } else if (is_first) {
        at::Tensor logits =
            torch::empty({manifest_.rows_of(p), manifest_.num_classes});
        group_.receive(logits, r);
        on_part(p, logits);
      }
    }
  }
}

at::Tensor RankWork::evaluate() {
  compute_logits();
  std::vector<at::Tensor> own;
  for (const auto& part : parts_) {
    own.push_back(part->logits.index_select(0, part->scored));
    part->logits.reset();
  }
  const at::Tensor rows = torch::cat(own);
  const at::Tensor count = torch::full({1}, rows.size(0), torch::kLong);
  if (group_.rank() > 0) {
    group_.send(count, 0);
    if (rows.size(0) > 0) group_.send(rows, 0);
    return {};
  }
  std::vector<at::Tensor> all = {rows};
  for (int64_t r = 1; r < group_.size(); ++r) {
    at::Tensor others = torch::empty({1}, torch::kLong);
    group_.receive(others, r);
    at::Tensor received = torch::empty(
        {others.item<int64_t>(), manifest_.num_classes}, rows.options());
    if (received.size(0) > 0) group_.receive(received, r);
    all.push_back(received);
  }
  return torch::cat(all);
}

WireCount RankWork::sent() const {
  return exchange_ ? exchange_->sent() : WireCount();
}

}  // namespace ordered_gnn::scale
