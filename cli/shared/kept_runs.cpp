#include "shared/kept_runs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <vector>

#include "core/io/folder.h"
#include "core/names.h"
#include "lab/runs/run_files.h"
#include "shared/command_line.h"

namespace ordered_gnn::cli {
namespace {

namespace fs = std::filesystem;

// Splits by what their folders hold.
struct KeptSplits {
  std::vector<std::string> done, saved, begun;
};

KeptSplits splits_in(const fs::path& folder) {
  std::error_code ignored;
  KeptSplits kept;
  for (const fs::path& path : core::entries_if_any(folder)) {
    if (!lab::is_split_folder(path)) continue;
    const std::string number = path.filename().string().substr(6);
    std::vector<std::string>& list =
        fs::exists(path / "result.json", ignored)         ? kept.done
        : fs::exists(path / "state.safetensors", ignored) ? kept.saved
                                                          : kept.begun;
    list.push_back(number);
  }
  return kept;
}

std::string named_splits(const std::vector<std::string>& numbers) {
  return fmt::format("split{} {}", numbers.size() == 1 ? "" : "s",
                     core::listed(numbers));
}

std::string splits_text(const KeptSplits& kept, bool saved) {
  std::vector<std::string> parts;
  if (!kept.done.empty()) parts.push_back(named_splits(kept.done) + " done");
  if (!kept.saved.empty()) {
    parts.push_back(named_splits(kept.saved) +
                    (saved
                         ? " up to the epoch that has just ended"
                         : " up to the last saved state (see --save-seconds)"));
  }
  if (!kept.begun.empty()) {
    parts.push_back("nothing yet of " + named_splits(kept.begun));
  }
  return parts.empty() ? "the settings, no split yet"
                       : fmt::format("{}", fmt::join(parts, ", "));
}

// Lines of a log of runs; 0 when it is not there.
int64_t lines_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  int64_t lines = 0;
  for (std::string line; std::getline(in, line);) ++lines;
  return lines;
}

// Runs in the logs below a folder; a comparison's searches have their own.
struct KeptRuns {
  int64_t ended = 0, searched = 0;
};

KeptRuns runs_in(const fs::path& folder) {
  KeptRuns kept;
  std::error_code ignored;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder, ignored)) {
    const fs::path& path = entry.path();
    if (path.filename() != "runs.jsonl") continue;
    const bool search = path.parent_path().parent_path().filename() == "tuning";
    (search ? kept.searched : kept.ended) += lines_in(path);
  }
  return kept;
}

}  // namespace

std::string kept_of_training(const fs::path& folder, const std::string& options,
                             bool saved) {
  if (folder.empty()) {
    return "stopped; nothing was kept, for there was no --out DIR. With it a "
           "run can go on";
  }
  std::error_code ignored;
  if (!fs::exists(folder / "run.json", ignored)) {
    return fmt::format(
        "stopped before training began; start it again with\n"
        "  {}",
        command_line());
  }
  return fmt::format(
      "stopped; kept in {}: {}. Go on with\n  ognn train --out {} --resume{}",
      folder.string(), splits_text(splits_in(folder), saved),
      shell_word(folder.string()), options);
}

std::string kept_of_runs(const fs::path& folder, bool saved) {
  const KeptRuns kept = runs_in(folder);
  return fmt::format(
      "stopped; kept in {}: {} run{} that ended{}; those under way {}. Go on "
      "with\n  {}",
      folder.string(), kept.ended, kept.ended == 1 ? "" : "s",
      kept.searched == 0 ? ""
                         : fmt::format(" and {} of the search", kept.searched),
      saved ? "go on where they are" : "begin anew", command_line());
}

}  // namespace ordered_gnn::cli
