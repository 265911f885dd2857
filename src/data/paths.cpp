#include "data/paths.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace ordered_gnn::data {

std::string name_from_path(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path full = std::filesystem::absolute(path, failed);
  if (failed) full = path;
  full = full.lexically_normal();
  if (!full.has_filename()) full = full.parent_path();
  if (full.extension() == ".npz") return full.stem().string();
  if (full.filename() == "raw" && full.parent_path().has_filename()) {
    full = full.parent_path();
  }
  return full.filename().string();
}

std::filesystem::path user_cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != '\0') {
    return std::filesystem::path(cache) / "ognn";
  }
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  return std::filesystem::path(home) / ".cache" / "ognn";
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool stays_below(const std::string& path) {
  const bool plain = std::all_of(path.begin(), path.end(), [](unsigned char c) {
    return c >= 0x20 && c != 0x7f && c != '\\';
  });
  const std::filesystem::path parts(path);
  return plain && !path.empty() && !parts.is_absolute() &&
         std::find(parts.begin(), parts.end(), "..") == parts.end();
}

}  // namespace ordered_gnn::data
