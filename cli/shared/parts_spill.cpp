#include "shared/parts_spill.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
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
                                                 int64_t ranks) {
  const PartsArguments& arguments = how.arguments;
  require_spill_words(arguments);
  if (arguments.memory.empty()) return std::nullopt;
  if (ranks > 1) {
    throw UsageError(fmt::format(
        "--memory with {} ranks: one process at a time keeps rows on a disk; "
        "leave one of them out, the result is the same",
        ranks));
  }
  scale::SpillOptions spill;
  spill.memory = scale::parse_memory_limit(arguments.memory);
  spill.folder = arguments.spill;
  if (spill.folder.empty()) spill.folder = how.out;
  if (spill.folder.empty()) {
    spill.folder = std::filesystem::temp_directory_path();
  }
  spill.is_training = how.trains;
  spill.on_lost = [](const std::string& message) {
    say_as_ognn(Ink::error, message);
    ::_exit(1);
  };
  return spill;
}

void announce_spill(const scale::PartsManifest& manifest,
                    const RunOptions& options, const scale::SpillOptions& spill,
                    bool quiet) {
  const scale::SpillEstimate estimate =
      scale::require_spill(manifest, options, spill);
  if (quiet) return;
  const int64_t disk = std::max<int64_t>(0, estimate.kept - spill.memory);
  say(fmt::format(
      "memory {} (the least is {}); up to {} on the disk of {}, where {} are "
      "free; about {} moved in an epoch",
      bytes_text(spill.memory), bytes_text(estimate.least_memory),
      bytes_text(disk), spill.folder.string(),
      bytes_text(scale::free_disk_bytes(spill.folder)),
      bytes_text(estimate.moved)));
  if (scale::is_memory_folder(spill.folder)) {
    say_as_ognn(Ink::warning,
                fmt::format("{} is a folder in memory, so that nothing is "
                            "spared; give one on a disk as --spill",
                            spill.folder.string()));
  }
}

std::string spilled_text(const scale::SpillRoom& room,
                         const scale::SpillOptions& spill) {
  const scale::PagedMemory::Counts counts = room.counts();
  return fmt::format(
      "memory: {} at most, of {}; on disk: {} at most, {} written, {} read",
      bytes_text(peak_memory_bytes()), bytes_text(spill.memory),
      bytes_text(room.file_bytes()), bytes_text(counts.written),
      bytes_text(counts.read));
}

}  // namespace ordered_gnn::cli
