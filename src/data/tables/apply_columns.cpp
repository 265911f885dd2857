#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "data/tables/cells.h"
#include "data/tables/number_scale.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

[[noreturn]] void fail_kind(const TableColumn& from, const Column& column) {
  fail(
      "column '{}' holds {} here, but the model was trained on {}; read it "
      "with --column {}={}",
      from.name, to_string(from.kind), to_string(column.kind), from.name,
      to_string(column.kind));
}

// The numbers of a column that the table read as words: 0 and 1 of yes_no.
std::vector<double> numbers_of_words(const TableColumn& from,
                                     const Column& column) {
  std::vector<double> meaning(from.values.size());
  for (size_t i = 0; i < from.values.size(); ++i) {
    if (!parse_cell_number(from.values[i], meaning[i])) fail_kind(from, column);
  }
  std::vector<double> out(from.codes.size(), kMissingNumber);
  for (size_t row = 0; row < out.size(); ++row) {
    const int32_t code = from.codes[row];
    if (code >= 0) out[row] = meaning[static_cast<size_t>(code)];
  }
  return out;
}

// The words of a column that the table read as numbers.
TableColumn words_of_numbers(const TableColumn& from) {
  TableColumn out;
  out.name = from.name;
  out.kind = ColumnKind::category;
  std::unordered_map<double, int32_t> index;
  for (const double x : from.numbers) {
    if (std::isnan(x)) {
      out.codes.push_back(-1);
      continue;
    }
    const auto [found, is_new] =
        index.emplace(x, static_cast<int32_t>(out.values.size()));
    if (is_new) out.values.push_back(fmt::format("{}", x));
    out.codes.push_back(found->second);
  }
  return out;
}

// Writes the features of one column, row by row, `width` floats apart.
class ColumnFeatures {
 public:
  ColumnFeatures(const Column& column, float* features, int64_t width,
                 std::vector<std::string>& notes)
      : column_(column),
        out_(features + column.first_feature),
        width_(width),
        notes_(notes) {}

  void write_missing(int64_t num_rows) {
    TableColumn none;

    none.name = column_.name;
    none.kind = column_.kind;
    if (holds_numbers(column_.kind)) {
      none.numbers.assign(static_cast<size_t>(num_rows), kMissingNumber);
    } else {
      none.codes.assign(static_cast<size_t>(num_rows), -1);
    }
    write(none, num_rows);
  }

  void write(const TableColumn& from, int64_t num_rows) {
    const bool is_empty =
        from.kind == ColumnKind::text && from.num_distinct == 0;
    if (is_empty && column_.kind != ColumnKind::text) {
      write_missing(num_rows);
      return;
    }
    switch (column_.kind) {
      case ColumnKind::number:
      case ColumnKind::date:
        write_numbers(from);
        break;
      case ColumnKind::yes_no:
      case ColumnKind::category:
        write_words(holds_numbers(from.kind) ? words_of_numbers(from) : from);
        break;
      case ColumnKind::text:
        return;
    }
    if (num_missing_ > 0 && !column_.flags_missing) {
      notes_.push_back(fmt::format(
          "column '{}': {} values are missing, none was in training; {}",
          column_.name, num_missing_,
          holds_numbers(column_.kind) ? "the median stands for them"
                                      : "no value stands for them"));
    }
  }

 private:
  void write_numbers(const TableColumn& from) {
    const bool wrong_kind =
        (from.kind == ColumnKind::text && !from.has_words()) ||
        (holds_numbers(from.kind) && from.kind != column_.kind) ||
        (column_.kind == ColumnKind::date && !holds_numbers(from.kind));
    if (wrong_kind) fail_kind(from, column_);
    const std::vector<double> converted = holds_numbers(from.kind)
                                              ? std::vector<double>()
                                              : numbers_of_words(from, column_);
    const std::vector<double>& numbers =
        holds_numbers(from.kind) ? from.numbers : converted;
    const bool is_date = column_.kind == ColumnKind::date;
    for (size_t row = 0; row < numbers.size(); ++row) {
      float* const at = out_ + static_cast<int64_t>(row) * width_;
      const bool missing = std::isnan(numbers[row]);
      const double x = missing ? column_.fill : numbers[row];
      const double scaled = column_.log_scaled ? signed_log(x) : x;
      at[0] = static_cast<float>((scaled - column_.mean) / column_.deviation);
      if (!std::isfinite(at[0])) {
        fail(
            "column '{}', row {}: {} is too far from the values of the "
            "training to be scaled",
            column_.name, row + 1, x);
      }
      if (is_date) {
        const auto [sine, cosine] = season_of(x);
        at[1] = static_cast<float>(sine);
        at[2] = static_cast<float>(cosine);
      }
      mark_missing(at, is_date ? 3 : 1, missing);
    }
  }

  // Features that the value of a code sets, -1 for none.
  std::vector<int64_t> feature_of_value(const TableColumn& from) {
    const bool yes_no = column_.kind == ColumnKind::yes_no;
    std::vector<std::string> unseen;
    std::vector<int64_t> out;
    for (const std::string& value : from.values) {
      int64_t feature = -1;
      if (yes_no) {
        feature = yes_no_value(value);
        if (feature < 0) fail_kind(from, column_);
      } else {
        const auto found = std::lower_bound(column_.categories.begin(),
                                            column_.categories.end(), value);
        const bool known = found != column_.categories.end() && *found == value;
        if (known) feature = found - column_.categories.begin();
        if (!known) unseen.push_back(value);
        if (!known && column_.has_other) {
          feature = static_cast<int64_t>(column_.categories.size());
        }
      }
      out.push_back(feature);
    }
    if (!unseen.empty() && !column_.has_other) {
      constexpr size_t kShown = 3;
      notes_.push_back(fmt::format(
          "column '{}': {} values were not in training and count as none, "
          "such as '{}'",
          column_.name, unseen.size(),
          fmt::join(unseen.begin(),
                    unseen.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(kShown, unseen.size())),
                    "', '")));
    }
    return out;
  }

  void write_words(const TableColumn& from) {
    if (from.kind == ColumnKind::text && !from.has_words()) {
      fail_kind(from, column_);
    }
    const std::vector<int64_t> feature = feature_of_value(from);
    const bool yes_no = column_.kind == ColumnKind::yes_no;
    const int64_t num_values =
        column_.num_features - (column_.flags_missing ? 1 : 0);
    for (size_t row = 0; row < from.codes.size(); ++row) {
      float* const at = out_ + static_cast<int64_t>(row) * width_;
      const int32_t code = from.codes[row];
      if (yes_no) {
        at[0] = code < 0
                    ? 0.5F
                    : static_cast<float>(feature[static_cast<size_t>(code)]);
      } else if (code >= 0 && feature[static_cast<size_t>(code)] >= 0) {
        at[feature[static_cast<size_t>(code)]] = 1;
      }
      mark_missing(at, num_values, code < 0);
    }
  }

  void mark_missing(float* at, int64_t flag, bool missing) {
    if (!missing) return;
    ++num_missing_;
    if (column_.flags_missing) at[flag] = 1;
  }

  const Column& column_;
  float* out_;
  int64_t width_;
  std::vector<std::string>& notes_;
  int64_t num_missing_ = 0;
};

const TableColumn* find_column(const Table& table, const std::string& name) {
  for (const TableColumn& column : table.columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

// Names on one side only; texts are no features and do not count.
void check_columns(const Table& table, const std::vector<Column>& columns,
                   MissingColumns policy, std::vector<std::string>& notes) {
  std::vector<std::string> missing;
  std::vector<std::string> extra;
  for (const Column& column : columns) {
    if (column.num_features > 0 && find_column(table, column.name) == nullptr) {
      missing.push_back(column.name);
    }
  }
  for (const TableColumn& column : table.columns) {
    const bool known = std::any_of(
        columns.begin(), columns.end(),
        [&](const Column& other) { return other.name == column.name; });
    if (!known && column.kind != ColumnKind::text) {
      extra.push_back(column.name);
    }
  }
  if (missing.empty() && extra.empty()) return;
  std::string text;
  if (!missing.empty()) {
    text += fmt::format(
        "columns that the model was trained on are missing: "
        "'{}'",
        fmt::join(missing, "', '"));
  }
  if (!extra.empty()) {
    text += fmt::format("{}columns are here that it does not know: '{}'",
                        text.empty() ? "" : "; ", fmt::join(extra, "', '"));
  }
  if (policy == MissingColumns::error) {
    fail(
        "{}; rename or add them, or let --missing-columns fill take missing "
        "ones as without values and leave the others out",
        text);
  }
  notes.push_back(text + "; filled and left out");
}

}  // namespace

at::Tensor apply_columns(const Table& table, const std::vector<Column>& columns,
                         MissingColumns policy,
                         std::vector<std::string>& notes) {
  check_columns(table, columns, policy, notes);
  const int64_t width = columns.empty() ? 0
                                        : columns.back().first_feature +
                                              columns.back().num_features;
  if (width == 0) {
    fail(
        "no column of the table makes a feature; --column NAME=KIND says what "
        "a column is");
  }
  const at::Tensor out = at::zeros({table.num_rows, width}, at::kFloat);
  for (const Column& column : columns) {
    if (column.num_features == 0) continue;
    ColumnFeatures features(column, out.data_ptr<float>(), width, notes);
    const TableColumn* const from = find_column(table, column.name);
    if (from == nullptr) {
      features.write_missing(table.num_rows);
    } else {
      features.write(*from, table.num_rows);
    }
  }
  return out;
}

}  // namespace ordered_gnn::data
