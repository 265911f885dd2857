#include "scale/spill/spill_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::scale {
namespace {

// Small tensors, lists while they are made, scratch of kernels.
int64_t slack_of(int64_t limit) { return (int64_t{48} << 20) + limit / 64; }

SpillEstimate estimate_of(const PartsManifest& manifest,
                          const RunOptions& options,
                          const SpillOptions& spill) {
  const int64_t program = resident_memory_bytes();
  SpillEstimate result =
      spill.is_training
          ? estimate_training(manifest, options, spill.memory, program)
          : estimate_forward(manifest, options, spill.memory, program);
  result.least_memory += slack_of(result.least_memory);
  return result;
}

PagedMemory::Settings settings_of(const PartsManifest& manifest,
                                  const SpillOptions& spill) {
  PagedMemory::Settings settings;
  settings.budget = spill.budget > 0 ? spill.budget : spill.memory;
  settings.parts = manifest.num_parts();
  if (spill.least_block > 0) settings.least_block = spill.least_block;
  settings.on_lost = spill.on_lost;
  return settings;
}

// What surely goes to the disk.
int64_t disk_bytes(const PartsManifest& manifest, const RunOptions& options,
                   const SpillOptions& spill) {
  use_recycling_allocator();
  return std::max<int64_t>(
      0, require_spill(manifest, options, spill).surely_kept - spill.memory);
}

}  // namespace

SpillEstimate require_spill(const PartsManifest& manifest,
                            const RunOptions& options,
                            const SpillOptions& spill) {
  const SpillEstimate result = estimate_of(manifest, options, spill);
  if (spill.budget == 0 && spill.memory < result.least_memory) {
    fail(
        "--memory {}: the least that {} over these parts can do with is {}, "
        "for the largest of the {} parts has to be in memory with its halo; "
        "give that much, or make more parts with 'ognn partition'",
        bytes_text(spill.memory), spill.is_training ? "training" : "a pass",
        bytes_text(result.least_memory), manifest.num_parts());
  }
  return result;
}

SpillRoom::SpillRoom(const PartsManifest& manifest, const RunOptions& options,
                     const SpillOptions& spill, int64_t threads, Wire wire)
    : options_(spill),
      reserve_(scoring_bytes(manifest) + slack_of(spill.memory)),
      program_(resident_memory_bytes()),
      file_(spill.folder, disk_bytes(manifest, options, spill)),
      memory_(file_, settings_of(manifest, spill)),
      team_(memory_, manifest.num_parts(), threads),
      exchange_(memory_, team_, manifest, wire) {
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
  team_.run(kind, body);
}

}  // namespace ordered_gnn::scale
