#include "shared/table.h"

#include <fmt/format.h>

#include <cmath>

namespace ordered_gnn::cli {

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f}", 100 * fraction) : "-";
}

std::string mean_text(double mean, double deviation, size_t runs) {
  return runs < 2 ? percent(mean)
                  : fmt::format("{} ± {}", percent(mean), percent(deviation));
}

}  // namespace ordered_gnn::cli
