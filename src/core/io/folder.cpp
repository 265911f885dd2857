#include "core/io/folder.h"

#include <algorithm>
#include <system_error>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> list_entries(const fs::path& folder,
                                   std::error_code& status) {
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, status), end; !status && it != end;
       it.increment(status)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code status;
  std::vector<fs::path> entries = list_entries(folder, status);
  if (status) fail_in(folder, "cannot be listed: " + status.message());
  return entries;
}

std::vector<fs::path> entries_if_any(const fs::path& folder) {
  std::error_code ignored;
  return list_entries(folder, ignored);
}

}  // namespace ordered_gnn::core
