#include "shared/parts_spill.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "scale/parts/plan.h"
#include "scale/spill/shared_disk.h"
#include "shared/speech.h"

namespace ordered_gnn::cli {

void require_spill_words(const PartsArguments& arguments) {
  if (!arguments.memory.empty()) scale::parse_memory_limit(arguments.memory);
  if (arguments.memory.empty() && !arguments.spill.empty()) {
    throw UsageError(
        "--spill: rows go there that do not fit into --memory, which has to be "
        "given, such as --memory 16GiB");
  }
}

std::optional<scale::SpillOptions> spill_options(const PartsTraining& how,
                                                 Device device) {
  const PartsArguments& arguments = how.arguments;
  require_spill_words(arguments);
  if (arguments.memory.empty()) return std::nullopt;
  if (device != Device::cpu) {
    throw UsageError(
        "--memory with --device cuda: rows of a GPU are kept on no disk; leave "
        "one of them out");
  }
  scale::SpillOptions spill;
  spill.memory = scale::parse_memory_limit(arguments.memory);
  spill.folder = arguments.spill;
  if (spill.folder.empty()) spill.folder = how.out;
  if (spill.folder.empty()) {
    spill.folder = std::filesystem::temp_directory_path();
  }
  spill.use = how.use;
  spill.on_lost = [](const std::string& message) {
    say_as_ognn(Ink::error, message);
    ::_exit(1);
  };
  return spill;
}

void require_spill(const scale::PartsManifest& manifest,
                   const RunOptions& options, const scale::SpillOptions& spill,
                   int64_t ranks) {
  const std::vector<int64_t> bounds =
      scale::rank_bounds(manifest.bounds, ranks);
  std::vector<scale::DiskClaim> claims;
  for (int64_t r = 0; r < ranks; ++r) {
    const scale::PartRange parts = scale::range_of_rank(bounds, r);
    const std::string objection =
        scale::spill_objection(manifest, parts, options, spill);
    if (!objection.empty()) {
      throw Error(ranks == 1 ? objection
                             : fmt::format("rank {}: {}", r, objection));
    }
    claims.push_back(scale::disk_claim(
        spill.folder, scale::surely_spilled(manifest, parts, options, spill)));
  }
  const std::string objection = scale::disk_objection(claims);
  if (!objection.empty()) throw Error(objection);
}

void announce_spill(const scale::PartsManifest& manifest,
                    const RunOptions& options, const scale::SpillOptions& spill,
                    int64_t ranks) {
  const scale::SpillEstimate estimate = scale::estimate_spill(
      manifest,
      scale::range_of_rank(scale::rank_bounds(manifest.bounds, ranks), 0),
      options, spill);
  const int64_t disk = std::max<int64_t>(0, estimate.kept - spill.memory);
  say(fmt::format(
      "memory {}{} (the least is {}); up to {} on the disk of {}, where {} are "
      "free; about {} moved in an epoch",
      bytes_text(spill.memory),
      ranks == 1 ? "" : fmt::format(" for each of {} ranks; rank 0", ranks),
      bytes_text(estimate.least_memory), bytes_text(disk),
      spill.folder.string(), bytes_text(scale::free_disk_bytes(spill.folder)),
      bytes_text(estimate.moved)));
  if (scale::is_memory_folder(spill.folder)) {
    say_as_ognn(Ink::warning,
                fmt::format("{} is a folder in memory, so that nothing is "
                            "spared; give one on a disk as --spill",
                            spill.folder.string()));
  }
}

std::string spilled_text(const scale::SpillRoom& room,
                         const scale::SpillOptions& spill, int64_t ranks) {
  const scale::PagedMemory::Counts counts = room.counts();
  return fmt::format(
      "memory{}: {} at most, of {}; on disk: {} at most, {} written, {} read",
      ranks == 1 ? "" : " of rank 0", bytes_text(peak_memory_bytes()),
      bytes_text(spill.memory), bytes_text(room.file_bytes()),
      bytes_text(counts.written), bytes_text(counts.read));
}

}  // namespace ordered_gnn::cli
