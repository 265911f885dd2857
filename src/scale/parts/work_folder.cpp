#include "scale/parts/work_folder.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/affixes.h"
#include "core/io/folder.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

bool is_work_file(const std::string& name) {
  return name == kSpoolFile ||
         core::starts_with(name, std::string(kInLists) + "-") ||
         core::starts_with(name, std::string(kOutLists) + "-");
}

// Whether there is nothing, or only what a killed run has left.
bool is_free_for_work(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return true;
  if (!fs::is_directory(status)) return false;
  const std::vector<fs::path> entries = core::entries_of(path);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return is_work_file(entry.filename().string());
  });
}

}  // namespace

WorkFolder::WorkFolder(fs::path path) : path_(std::move(path)) {
  if (!is_free_for_work(path_)) {
    fail_in(path_,
            "is there and holds what is not ours, and lists are sorted in a "
            "folder of this name; choose another --out");
  }
  if (!core::remove_tree(path_)) {
    fail_in(path_, "cannot be replaced: it could not be deleted");
  }
  std::error_code failed;
  if (!fs::create_directory(path_, failed)) {
    fail_in(path_, "cannot be made: " + failed.message());
  }
}

WorkFolder::~WorkFolder() { core::remove_tree(path_); }

}  // namespace ordered_gnn::scale
