#include "explain/column_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordered_gnn::explain {
namespace {

constexpr float kSet = 0.5f;  // above it a feature of zeros and ones is one

double unscaled(const Column& column, float feature) {
  const double scaled = feature * column.deviation + column.mean;
  if (!column.log_scaled) return scaled;
  return std::copysign(std::expm1(std::fabs(scaled)), scaled);
}

// The civil date of a day counted from 1970-01-01, in the Gregorian calendar.
// Years begin in March, so that the leap day is the last of them.
std::string date_text(double days) {
  constexpr int64_t kDaysPer400Years = 146097;
  constexpr double kMostDays = 4e6;  // beyond the year 9999 either way
  if (!(std::fabs(days) < kMostDays)) return value_text(days) + " days";
  const int64_t day = std::llround(days) + 719468;  // since 0000-03-01
  const int64_t era =
      (day >= 0 ? day : day - kDaysPer400Years + 1) / kDaysPer400Years;
  const int64_t of_era = day - era * kDaysPer400Years;
  const int64_t year =
      (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const int64_t month = (5 * of_year + 2) / 153;
  const int64_t of_month = of_year - (153 * month + 2) / 5 + 1;
  const int64_t civil_month = month < 10 ? month + 3 : month - 9;
  return fmt::format("{:04d}-{:02d}-{:02d}",
                     year + era * 400 + (civil_month <= 2 ? 1 : 0), civil_month,
                     of_month);
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
      return date_text(unscaled(column, features[0]));
    case ColumnKind::text:
      break;
  }
  return "";
}

}  // namespace ordered_gnn::explain
