#include "shared/memory_limit.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {

int64_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  double bytes = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const std::string units = "kMGT";
  if (unit.size() == 1 && units.find(unit) != std::string::npos) {
    bytes *= std::pow(1000.0, static_cast<double>(units.find(unit)) + 1);
  } else if (!unit.empty()) {
    bytes = -1;
  }
  if (text.empty() || !(bytes > 0) || bytes > 1e18) {
    throw UsageError(fmt::format(
        "--memory-limit takes a size such as 800M or 4G, not '{}'", text));
  }
  return static_cast<int64_t>(bytes);
}

std::string require_memory(int64_t nodes, int64_t needed,
                           const std::optional<std::string>& limit) {
  const int64_t used = resident_memory_bytes();
  const int64_t free_bytes = available_memory_bytes();
  const int64_t most = limit ? parse_bytes(*limit) : used + free_bytes;
  std::string text = fmt::format(
      "predicting {} nodes takes up to {}: {} of model and data are loaded, {} "
      "to come",
      nodes, bytes_text(used + needed), bytes_text(used), bytes_text(needed));
  if (used + needed > most && (limit || free_bytes > 0)) {
    fail("{}, but {} {}; split the graph, or ask for fewer outputs", text,
         bytes_text(most), limit ? "is the --memory-limit" : "is all there is");
  }
  return text;
}

}  // namespace ordered_gnn::cli
