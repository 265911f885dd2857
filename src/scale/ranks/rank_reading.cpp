// How a rank comes to its parts, and to the rows of others that they need.
#include <torch/types.h>

#include "scale/ranks/device_exchange.h"
#include "scale/ranks/halo_degrees.h"
#include "scale/ranks/halo_exchange.h"
#include "scale/ranks/part_run.h"
#include "scale/ranks/scored_nodes.h"
#include "train/batch_choice.h"

namespace ordered_gnn::scale {
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
  run.original = run.nodes = part.original;
}

// Graph and features go where they are computed on; all else is told the CPU.
void move_part(at::Device device, RankWork::PartRun& part) {
  if (device.is_cpu()) return;
  part.graph = part.graph.to(device);
  part.features = part.features.to(device);
  part.nodes = part.original.to(device);
}

// In-degrees of a part and its halo, which `exchange` fetches.
at::Tensor degrees_of(const LocalLists& own, core::RowExchange& exchange) {
  const auto halo = static_cast<int64_t>(own.halo.size());
  std::vector<int64_t> receive_only;
  for (int64_t i = 0; i < halo; ++i) {
    if (!own.sends[i]) receive_only.push_back(own.rows() + i);
  }
  return degrees_with_halo(own.in.rowptr, receive_only, exchange);
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

RankWork::RankWork(Group& group, const PartSource& source,
                   const PartsManifest& manifest, const RunOptions& options,
                   int64_t threads, Wire wire, const SpillOptions* spill,
                   at::Device device)
    : group_(group),
      manifest_(manifest),
      options_(options),
      bounds_(rank_bounds(manifest.bounds, group.size())),
      shape_(shape_of(manifest)),
      wire_(wire),
      threads_(threads),
      device_(device) {
  if (spill != nullptr) {
    TORCH_CHECK(device.is_cpu(), "rows of a GPU are kept on no disk");
    spill_ = std::make_unique<SpillRoom>(group_, manifest_, bounds_, options_,
                                         *spill, threads, wire);
    read_spilled(source);
    return;
  }
  const bool in_batches = training::parse_batch(options.train.batch).in_parts();
  const bool does_both = group.size() > 1 && device.is_cpu() && !in_batches;
  team_ = std::make_unique<PartTeam>(
      bounds_[group.rank() + 1] - bounds_[group.rank()], threads,
      /*passes=*/does_both ? 2 : 1);
  read_parts(source, does_both);
}

RankWork::~RankWork() = default;

void RankWork::read_parts(const PartSource& source, bool does_both) {
  std::vector<Part> parts;
  for (int64_t p = bounds_[group_.rank()]; p < bounds_[group_.rank() + 1];
       ++p) {
    parts.push_back(source(p));
    lists_.push_back(local_lists(parts.back()));
    parts.back().in = parts.back().out = {};
  }
  routes_ = make_routes(group_, manifest_, bounds_, lists_);
  share_nodes(group_, originals(parts), routes_.in);
  const int64_t layers = options_.network.layers;
  if (device_.is_cpu()) {
    exchange_ =
        std::make_unique<HaloExchange>(group_, routes_, *team_, layers, wire_);
  } else {
    exchange_ = std::make_unique<DeviceExchange>(group_, routes_, *team_,
                                                 device_, layers, wire_);
  }
  if (does_both) {
    beside_ = std::make_unique<HaloExchange>(group_, routes_, *team_, layers,
                                             wire_, manifest_.num_parts());
  }
  if (device_.is_cpu()) {
    batches_ = make_batches(group_, manifest_, lists_, options_, threads_);
  }
  for (const Part& part : parts) {
    parts_.push_back(std::make_unique<PartRun>());
    fill_part(part, *parts_.back());
    parts_.back()->place = static_cast<int64_t>(parts_.size()) - 1;
  }
  if (does_both) {
    std::vector<int64_t> scored;
    for (const auto& part : parts_) scored.push_back(part->scored.size(0));
    gather_ = std::make_unique<LogitsGather>(
        group_, bounds_, scored, manifest_.num_classes,
        /*first_tag=*/2 * manifest_.num_parts());
  }
  exchange_->uncounted([this] {
    run_parts(PassKind::reading, [this](PartRun& part) {
      const LocalLists& own = lists_[part.place];
      const auto halo = static_cast<int64_t>(own.halo.size());
      const auto whole = exchange_->of_part(part.place, halo);
      const at::Tensor degrees = degrees_of(own, *whole);
      part.graph = Graph::of_part(
          own.in, own.out, degrees,
          batches_ ? batches_->exchange_of(part.place, whole) : whole);
      if (beside_) {
        part.graph_beside = Graph::of_part(own.in, own.out, degrees,
                                           beside_->of_part(part.place, halo));
      }
      move_part(device_, part);
    });
  });
}

// One after the other, each into the memory of its own turn.
void RankWork::read_spilled(const PartSource& source) {
  const int64_t first = bounds_[group_.rank()];
  for (int64_t p = first; p < bounds_[group_.rank() + 1]; ++p) {
    parts_.push_back(std::make_unique<PartRun>());
    parts_.back()->place = p - first;
  }
  run_parts(PassKind::reading, [&](PartRun& run) {
    LocalLists lists;
    {
      const Part part = source(first + run.place);
      fill_part(part, run);
      lists = local_lists(part);
    }
    const auto exchange = spill_->of_part(run.place, lists);
    run.graph = Graph::of_part(lists.in, lists.out,
                               degrees_of(lists, *exchange), exchange);
  });
  sent_to_read_ = spill_->sent();
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

}  // namespace ordered_gnn::scale
