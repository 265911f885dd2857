#include "lab/runs/run_files.h"

#include <fmt/format.h>

#include <string_view>
#include <system_error>

#include "core/affixes.h"
#include "core/io/folder.h"
#include "core/io/temporary_file.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

// Links are not followed: what is behind them is elsewhere.
bool is_real_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored));
}

void remove_one(const fs::path& file) {
  if (is_real_folder(file)) return;
  std::error_code status;
  fs::remove(file, status);
  if (status) fail_in(file, "cannot be deleted: " + status.message());
}

void note_left(const fs::path& entry, const std::string& prefix,
               std::vector<std::string>& left) {
  left.push_back(prefix + entry.filename().string() +
                 (is_real_folder(entry) ? "/" : ""));
}

void remove_split(const fs::path& split, std::vector<std::string>& left) {
  for (const char* name : {"result.json", "model.safetensors", "metrics.jsonl",
                           "state.safetensors", "curves.csv"}) {
    remove_one(split / name);
  }
  core::remove_leftovers(split);
  const std::vector<fs::path> others = core::entries_of(split);
  for (const fs::path& entry : others) {
    note_left(entry, split.filename().string() + "/", left);
  }
  std::error_code ignored;
  if (others.empty()) fs::remove(split, ignored);
}

}  // namespace

bool is_split_folder(const fs::path& path) {
  const std::string name = path.filename().string();
  std::string_view number = name;
  return core::take_prefix(number, "split-") && !number.empty() &&
         number.find_first_not_of("0123456789") == std::string_view::npos &&
         (number.size() == 1 || number[0] != '0');
}

std::vector<std::string> remove_run_files(const fs::path& folder,
                                          const std::string& marker) {
  remove_one(folder / "summary.json");
  std::vector<std::string> left;
  for (const fs::path& entry : core::entries_of(folder)) {
    if (is_split_folder(entry) && is_real_folder(entry)) {
      remove_split(entry, left);
    } else if (entry.filename() != marker) {
      note_left(entry, "", left);
    }
  }
  return left;
}

}  // namespace ordered_gnn::lab
