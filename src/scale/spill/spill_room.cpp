#include "scale/spill/spill_room.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::scale {
namespace {

// Small tensors, lists while they are made, scratch of kernels.
int64_t slack_of(int64_t limit) { return (int64_t{48} << 20) + limit / 64; }

const char* name_of(SpillUse use) {
  switch (use) {
    case SpillUse::training:
      return "training";
    case SpillUse::explanation:
      return "an explanation";
    default:
      return "a pass";
  }
}

PagedMemory::Settings settings_of(const PartRange& parts,
                                  const SpillOptions& spill) {
  PagedMemory::Settings settings;
  settings.budget = spill.budget > 0 ? spill.budget : spill.memory;
  settings.parts = parts.last - parts.first;
  if (spill.least_block > 0) settings.least_block = spill.least_block;
  settings.on_lost = spill.on_lost;
  return settings;
}

// The same, of a limit that is enough.
int64_t disk_bytes(const PartsManifest& manifest, const PartRange& parts,
                   const RunOptions& options, const SpillOptions& spill) {
  use_recycling_allocator();
  const std::string objection =
      spill_objection(manifest, parts, options, spill);
  if (!objection.empty()) throw Error(objection);
  return surely_spilled(manifest, parts, options, spill);
}

}  // namespace

SpillEstimate estimate_spill(const PartsManifest& manifest,
                             const PartRange& parts, const RunOptions& options,
                             const SpillOptions& spill) {
  const int64_t program = resident_memory_bytes();
  const auto estimate = [&] {
    switch (spill.use) {
      case SpillUse::training:
        return estimate_training;
      case SpillUse::explanation:
        return estimate_explanation;
      default:
        return estimate_forward;
    }
  }();
  SpillEstimate result =
      estimate(manifest, parts, options, spill.memory, program);
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
      bytes_text(spill.memory), name_of(spill.use), bytes_text(least),
      manifest.num_parts());
}

int64_t surely_spilled(const PartsManifest& manifest, const PartRange& parts,
                       const RunOptions& options, const SpillOptions& spill) {
  const int64_t kept =
      estimate_spill(manifest, parts, options, spill).surely_kept;
  return std::max<int64_t>(0, kept - spill.memory);
}

SpillRoom::SpillRoom(Group& group, const PartsManifest& manifest,
                     const std::vector<int64_t>& bounds,
                     const RunOptions& options, const SpillOptions& spill,
                     int64_t threads, Wire wire)
    : options_(spill),
      parts_(range_of_rank(bounds, group.rank())),
      reserve_(answer_bytes(manifest, parts_, options.network, spill.use) +
               slack_of(spill.memory)),
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
