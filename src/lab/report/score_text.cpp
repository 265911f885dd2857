#include "lab/report/score_text.h"

#include <fmt/format.h>

#include <cmath>

#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn::lab {

std::string score_text(double value, Metric metric) {
  if (!std::isfinite(value)) return "-";
  if (metric == Metric::log_loss) return fmt::format("{:.4f}", value);
  const std::string text = fmt::format("{:.2f}", 100 * value);
  return text == "-0.00" ? "0.00" : text;
}

std::string score_heading(Metric metric) {
  return to_string(metric) + (metric == Metric::log_loss ? "" : ", %");
}

double reported(double selected, Metric metric) {
  return lower_is_better(metric) ? -selected : selected;
}

}  // namespace ordered_gnn::lab
