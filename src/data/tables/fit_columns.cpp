#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "data/tables/column_json.h"
#include "data/tables/number_scale.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

// Skewness from which on a column is long-tailed: clearly above the 2 of an
// exponential distribution, since counts and waiting times, which have about
// that, often act in proportion to their value.
constexpr double kLongTail = 2.5;
constexpr int64_t kMostCategories = 100;

struct Moments {
  double mean = 0;
  double deviation = 0;
  double skewness = 0;
};

template <typename Scale>
Moments moments_of(const std::vector<double>& values, const Scale& scale) {
  Moments out;
  if (values.empty()) return out;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double x : values) sum += scale(x);
  out.mean = sum / count;
  double second = 0;
  double third = 0;
  for (const double x : values) {
    const double d = scale(x) - out.mean;
    second += d * d;
    third += d * d * d;
  }
  out.deviation = std::sqrt(second / count);
  if (out.deviation > 0) {
    out.skewness = third / count / std::pow(out.deviation, 3);
  }
  return out;
}

// The first 16 bits of a number that rises with `x`: sign, exponent and four
// bits behind them.
size_t coarse_rank(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  constexpr uint64_t kSign = uint64_t{1} << 63;
  const uint64_t rising = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return static_cast<size_t>(rising >> 48);
}

// Leaves the values of the one coarse rank that the `position`-th smallest
// has, and makes `position` its place among these: two even passes, where
// std::nth_element guesses wrong at every other value.
void narrow_to_rank(std::vector<double>& values, size_t& position) {
  std::vector<size_t> counts(size_t{1} << 16);
  for (const double x : values) ++counts[coarse_rank(x)];
  size_t rank = 0;
  for (; position >= counts[rank]; ++rank) position -= counts[rank];
  const auto other = [&](double x) { return coarse_rank(x) != rank; };
  values.erase(std::remove_if(values.begin(), values.end(), other),
               values.end());
}

double median_of(std::vector<double>& values) {
  if (values.empty()) return 0;
  constexpr size_t kMany = size_t{1} << 16;  // than there are coarse ranks
  size_t position = values.size() / 2;
  if (values.size() > kMany) narrow_to_rank(values, position);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(position);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void fit_numbers(const TableColumn& from, Column& column) {
  std::vector<double> values;
  values.reserve(from.numbers.size());
  for (const double x : from.numbers) {
    if (!std::isnan(x)) values.push_back(x);
  }
  const auto as_it_is = [](double x) { return x; };
  Moments moments = moments_of(values, as_it_is);
  const auto none_negative = [&] {
    return std::none_of(values.begin(), values.end(),
                        [](double x) { return x < 0; });
  };
  if (column.kind == ColumnKind::number && moments.skewness > kLongTail &&
      none_negative()) {
    const Moments logs = moments_of(values, signed_log);
    if (std::abs(logs.skewness) < moments.skewness / 2) {
      column.log_scaled = true;
      moments = logs;
    }
  }
  if (!std::isfinite(moments.mean) || !std::isfinite(moments.deviation)) {
    fail(
        "column '{}' has numbers that are too large to be scaled; leave it out "
        "with --drop, or read it as --column {}=category",
        column.name, column.name);
  }
  column.mean = moments.mean;
  // A column of equal values may have a deviation of rounding errors.
  const double least = 1e-12 * std::max(1.0, std::abs(moments.mean));
  column.deviation = moments.deviation > least ? moments.deviation : 1;
  column.fill = median_of(values);
}

void fit_categories(const TableColumn& from, Column& column) {
  std::vector<int64_t> counts(from.values.size());
  for (const int32_t code : from.codes) {
    if (code >= 0) ++counts[static_cast<size_t>(code)];
  }
  std::vector<size_t> order(counts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (counts[a] != counts[b]) return counts[a] > counts[b];
    return from.values[a] < from.values[b];
  });
  const int64_t num_rows = static_cast<int64_t>(from.codes.size());
  const int64_t least = std::max<int64_t>(3, num_rows / 1000);
  for (const size_t value : order) {
    const bool is_full =
        static_cast<int64_t>(column.categories.size()) == kMostCategories;
    if (counts[value] < least || is_full) {
      column.has_other = column.has_other || counts[value] > 0;
    } else {
      column.categories.push_back(from.values[value]);
    }
  }
  std::sort(column.categories.begin(), column.categories.end());
}

}  // namespace

std::vector<Column> fit_columns(const Table& table) {
  std::vector<Column> columns;
  for (const TableColumn& from : table.columns) {
    Column column;
    column.name = from.name;
    column.kind = from.kind;
    switch (from.kind) {
      case ColumnKind::number:
      case ColumnKind::date:
        fit_numbers(from, column);
        break;
      case ColumnKind::category:
        fit_categories(from, column);
        break;
      case ColumnKind::yes_no:
        column.categories = from.values;
        break;
      case ColumnKind::text:
        break;
    }
    column.flags_missing =
        from.num_missing > 0 && from.kind != ColumnKind::text;
    columns.push_back(std::move(column));
  }
  place_features(columns);
  return columns;
}

}  // namespace ordered_gnn::data
