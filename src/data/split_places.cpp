#include "data/split_places.h"

#include <fmt/format.h>

#include "data/paths.h"

namespace ordered_gnn::data {

std::filesystem::path find_in(const std::vector<std::filesystem::path>& folders,
                              const std::string& name) {
  for (const std::filesystem::path& folder : folders) {
    if (is_there(folder / name)) return folder / name;
  }
  return {};
}

std::string not_found_in(const std::vector<std::filesystem::path>& folders,
                         const std::string& what,
                         const std::string& split_set) {
  std::string message = what + " in";
  for (const std::filesystem::path& folder : folders) {
    message += fmt::format(" '{}'", folder.string());
  }
  return fmt::format("{}; --split-set {} makes splits where there are none",
                     message, split_set);
}

}  // namespace ordered_gnn::data
