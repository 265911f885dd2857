#include "scale/spill/spill_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::scale {
namespace {

// Small tensors, lists while they are made, scratch of kernels.
int64_t slack_of(int64_t limit) { return (int64_t{48} << 20) + limit / 64; }

PagedMemory::Settings settings_of(const PartRange& parts,
                                  const SpillOptions& spill) {
  PagedMemory::Settings settings;
  settings.budget = spill.budget > 0 ? spill.budget : spill.memory;
  settings.parts = parts.last - parts.first;
  if (spill.least_block > 0) settings.least_block = spill.least_block;
  settings.on_lost = spill.on_lost;
  return settings;
}

// What surely goes to the disk.
int64_t disk_bytes(const PartsManifest& manifest, const PartRange& parts,
                   const RunOptions& options, const SpillOptions& spill) {
  use_recycling_allocator();
  const std::string objection =
      spill_objection(manifest, parts, options, spill);
  if (!objection.empty()) throw Error(objection);
  const SpillEstimate estimate =
      estimate_spill(manifest, parts, options, spill);
  return std::max<int64_t>(0, estimate.surely_kept - spill.memory);
}

}  // namespace

SpillEstimate estimate_spill(const PartsManifest& manifest,
                             const PartRange& parts, const RunOptions& options,
                             const SpillOptions& spill) {
  const int64_t program = resident_memory_bytes();
  SpillEstimate result =
      spill.is_training
          ? estimate_training(manifest, parts, options, spill.memory, program)
          : estimate_forward(manifest, parts, options, spill.memory, program);
  result.least_memory += slack_of(result.least_memory);
  return result;
}

std::string spill_objection(const PartsManifest& manifest,
                            const PartRange& parts, const RunOptions& options,
                            const SpillOptions& spill) {
  const int64_t least =
      estimate_spill(manifest, parts, options, spill).least_memory;
  if (spill.budget > 0 || spill.memory >= least) return "";
  return fmt::format(
      "--memory {}: the least that {} over these parts can do with is {}, "
      "for the largest of the {} parts has to be in memory with its halo; "
      "give that much, or make more parts with 'ognn partition'",
      bytes_text(spill.memory), spill.is_training ? "training" : "a pass",
      bytes_text(least), manifest.num_parts());
}

SpillRoom::SpillRoom(Group& group, const PartsManifest& manifest,
                     const std::vector<int64_t>& bounds,
                     const RunOptions& options, const SpillOptions& spill,
                     int64_t threads, Wire wire)
    : options_(spill),
      parts_(range_of_rank(bounds, group.rank())),
      reserve_(scoring_bytes(manifest, parts_) + slack_of(spill.memory)),
      program_(resident_memory_bytes()),
      file_(spill.folder, disk_bytes(manifest, parts_, options, spill)),
      memory_(file_, settings_of(parts_, spill)),
      team_(memory_, parts_.last - parts_.first, threads),
      exchange_(group, memory_, team_, manifest, bounds, options.network.layers,
                wire) {
  follow_limit();
}

// What is not paged, the program and small tensors, is seen from outside.
void SpillRoom::follow_limit() {
  if (options_.budget > 0) return;
  release_recycled_memory();
  const int64_t others = resident_memory_bytes() - memory_.counts().resident +
                         slack_of(options_.memory);
  memory_.set_budget(options_.memory - std::max(others, program_ + reserve_));
}

void SpillRoom::run(int64_t kind, const std::function<void(int64_t)>& body) {
  exchange_.reset();
  follow_limit();
  try {
    team_.run(kind, body);
  } catch (...) {
    exchange_.abort();
    throw;
  }
  exchange_.settle();
}

}  // namespace ordered_gnn::scale
