#include "explain/column_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/tables/cells.h"

namespace ordered_gnn::explain {
namespace {

constexpr float kSet = 0.5f;  // above it a feature of zeros and ones is one

double unscaled(const Column& column, float feature) {
  const double scaled = feature * column.deviation + column.mean;
  if (!column.log_scaled) return scaled;
  return std::copysign(std::expm1(std::fabs(scaled)), scaled);
}

std::string day_text(double days) {
  if (!data::is_day(days)) return value_text(days) + " days";
  // A day that went through a float may lie a little before its midnight.
  return data::date_text(std::round(days));
}

std::string category_text(const Column& column,
                          const std::vector<float>& features) {
  for (size_t i = 0; i < column.categories.size(); ++i) {
    if (features[i] > kSet) return column.categories[i];
  }
  const size_t other = column.categories.size();
  return column.has_other && features[other] > kSet ? "another value" : "none";
}

}  // namespace

std::string value_text(double value) {
  const double size = std::fabs(value);
  return size >= 1e6 && size < 1e15 ? fmt::format("{:.0f}", value)
                                    : fmt::format("{:.6g}", value);
}

std::string column_text(const Column& column,
                        const std::vector<float>& features) {
  if (column.flags_missing && features.back() > kSet) return "missing";
  switch (column.kind) {
    case ColumnKind::number:
      return value_text(unscaled(column, features[0]));
    case ColumnKind::yes_no:
      if (features[0] == 0.5f) return "missing";
      return column.categories[features[0] > kSet ? 1 : 0];
    case ColumnKind::category:
      return category_text(column, features);
    case ColumnKind::date:
      return day_text(unscaled(column, features[0]));
    case ColumnKind::text:
      break;
  }
  return "";
}

}  // namespace ordered_gnn::explain
