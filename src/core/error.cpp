#include "ordered_gnn/core/error.h"

namespace ordered_gnn {

void fail_in(const std::filesystem::path& file, const std::string& message) {
  throw Error(file.string() + ": " + message);
}

void fail_at(const SourceLine& place, const std::string& message) {
  throw Error(
      fmt::format("{}:{}: {}", place.file.string(), place.line, message));
}

}  // namespace ordered_gnn
