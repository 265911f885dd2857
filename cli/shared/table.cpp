#include "shared/table.h"

#include <fmt/format.h>

#include <cmath>

namespace ordered_gnn::cli {

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f}", 100 * fraction) : "-";
}

}  // namespace ordered_gnn::cli
