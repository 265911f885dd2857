#include "scale/ranks/rank_work.h"

#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <torch/types.h>

#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/nn/models.h"
#include "scale/parts/estimate.h"
#include "scale/ranks/part_run.h"

namespace ordered_gnn::scale {

void RankWork::run_parts(PassKind kind, const PartBody& body) {
  const auto of_place = [&](int64_t place) {
    c10::OptionalDeviceGuard current;
    if (!device_.is_cpu()) current.reset_device(device_);
    body(*parts_[place]);
  };
  if (spill_) {
    spill_->run(static_cast<int64_t>(kind), of_place);
    return;
  }
  exchange_->reset();
  team_->run(of_place, [this] { exchange_->abort(); });
  exchange_->settle();
}

void RankWork::run_both(const PartBody& body, const PartBody& beside) {
  const auto parts = static_cast<int64_t>(parts_.size());
  exchange_->reset();
  beside_->reset();
  team_->run(
      [&](int64_t index) {
        (index < parts ? body : beside)(*parts_[index % parts]);
      },
      [this] {
        exchange_->abort();
        beside_->abort();
      },
      /*passes=*/2);
  exchange_->settle();
  beside_->settle();
}

void RankWork::use_model(NodeModel& model) {
  model_ = &model;
  const torch::NoGradGuard no_grad;
  const auto own = model.named_parameters();
  parameters_there_.clear();
  for (const auto& item : own) {
    // On a CPU itself, elsewhere a copy.
    parameters_there_[item.key()] = item.value().detach().to(device_);
  }
  const auto let_read = [&](std::shared_ptr<NodeModel>& replica) {
    if (!replica) {
      replica = create_model(options_.model, shape_, options_.network,
                             options_.train.seed);
      if (!device_.is_cpu()) replica->to(device_);
    }
    for (auto& item : replica->named_parameters()) {
      const at::Tensor* const shared = own.find(item.key());
      TORCH_CHECK(shared != nullptr, "the model has no ", item.key());
      item.value().set_data(parameters_there_.at(item.key()));
      item.value().set_requires_grad(shared->requires_grad());
    }
  };
  for (const auto& part : parts_) {
    let_read(part->model);
    if (beside_) let_read(part->model_beside);
  }
}

// What the model has become, for the passes to come.
void RankWork::copy_parameters() {
  if (device_.is_cpu()) return;
  const torch::NoGradGuard no_grad;
  for (const auto& item : model_->named_parameters()) {
    parameters_there_.at(item.key()).copy_(item.value());
  }
}

// Only a bound from below refuses.
void RankWork::require_training_memory() const {
  if (spill_) return;             // which has asked for less
  if (!device_.is_cpu()) return;  // a GPU says itself when it is full
  const int64_t first = bounds_[group_.rank()];
  const int64_t last = bounds_[group_.rank() + 1];
  // The largest batch is no smaller than the mean of all.
  const int64_t least = least_training_bytes(manifest_, first, last, options_) /
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
  if (device_.is_cpu()) return;
  if (terms.weights.defined()) terms_.weights = terms.weights.to(device_);
  for (const auto& part : parts_) {
    part->train_rows = part->train_rows.to(device_);
    part->train_labels = part->train_labels.to(device_);
  }
}

WireCount RankWork::sent() const {
  if (exchange_) {
    WireCount sent = exchange_->sent();
    if (beside_) {
      sent.bytes += beside_->sent().bytes;
      sent.expected += beside_->sent().expected;
    }
    return sent;
  }
  // Rows are whole: what is sent is what was expected.
  const int64_t bytes = spill_->sent() - sent_to_read_;
  return {bytes, static_cast<double>(bytes)};
}

}  // namespace ordered_gnn::scale
