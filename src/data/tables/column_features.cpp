#include "data/tables/column_features.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/tables/cells.h"
#include "data/tables/number_scale.h"
#include "ordered_gnn/core/error.h"

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

// A text that is left out has values, only not here.
bool has_no_value(const TableColumn& from) {
  if (from.kind == ColumnKind::text) return from.num_distinct == 0;
  return from.numbers.empty() && from.codes.empty();
}

}  // namespace

ColumnFeatures::ColumnFeatures(const Column& column, const TableColumn* from,
                               int64_t num_rows,
                               std::vector<std::string>& notes)
    : column_(column) {
  if (from == nullptr || has_no_value(*from)) {
    take_missing(num_rows);
  } else if (holds_numbers(column.kind)) {
    take_numbers(*from);
  } else {
    take_words(*from, notes);
  }
  if (!column.flags_missing) note_missing(notes);
}

void ColumnFeatures::take_missing(int64_t num_rows) {
  const auto count = static_cast<size_t>(num_rows);
  if (holds_numbers(column_.kind)) {
    own_.numbers.assign(count, kMissingNumber);
    numbers_ = &own_.numbers;
  } else {
    own_.codes.assign(count, -1);
    codes_ = &own_.codes;
  }
}

void ColumnFeatures::take_numbers(const TableColumn& from) {
  const bool wrong_kind =
      (from.kind == ColumnKind::text && !from.has_words()) ||
      (holds_numbers(from.kind) && from.kind != column_.kind) ||
      (column_.kind == ColumnKind::date && !holds_numbers(from.kind));
  if (wrong_kind) fail_kind(from, column_);
  numbers_ = &from.numbers;
  if (holds_numbers(from.kind)) return;
  own_.numbers = numbers_of_words(from, column_);
  numbers_ = &own_.numbers;
}

void ColumnFeatures::take_words(const TableColumn& from,
                                std::vector<std::string>& notes) {
  if (holds_numbers(from.kind)) own_ = words_of_numbers(from);
  const TableColumn& words = holds_numbers(from.kind) ? own_ : from;
  if (words.kind == ColumnKind::text && !words.has_words()) {
    fail_kind(words, column_);
  }
  set_feature_of_value(words, notes);
  codes_ = &words.codes;
}

void ColumnFeatures::set_feature_of_value(const TableColumn& from,
                                          std::vector<std::string>& notes) {
  const bool yes_no = column_.kind == ColumnKind::yes_no;
  const std::vector<std::string>& known = column_.categories;
  std::vector<std::string> unseen;
  for (const std::string& value : from.values) {
    int64_t feature = -1;
    if (yes_no) {
      feature = yes_no_value(value);
      if (feature < 0) fail_kind(from, column_);
    } else {
      const auto found = std::lower_bound(known.begin(), known.end(), value);
      const bool is_known = found != known.end() && *found == value;
      if (is_known) feature = found - known.begin();
      if (!is_known) unseen.push_back(value);
      if (!is_known && column_.has_other) {
        feature = static_cast<int64_t>(known.size());
      }
    }
    feature_of_value_.push_back(feature);
  }
  if (unseen.empty() || column_.has_other) return;
  constexpr size_t kShown = 3;
  const auto shown =
      static_cast<std::ptrdiff_t>(std::min(kShown, unseen.size()));
  notes.push_back(fmt::format(
      "column '{}': {} values were not in training and count as none, "
      "such as '{}'",
      column_.name, unseen.size(),
      fmt::join(unseen.begin(), unseen.begin() + shown, "', '")));
}

void ColumnFeatures::note_missing(std::vector<std::string>& notes) const {
  const int64_t missing =
      numbers_ != nullptr
          ? std::count_if(numbers_->begin(), numbers_->end(),
                          [](double x) { return std::isnan(x); })
          : std::count_if(codes_->begin(), codes_->end(),
                          [](int32_t code) { return code < 0; });
  if (missing == 0) return;
  notes.push_back(fmt::format(
      "column '{}': {} values are missing, none was in training; {}",
      column_.name, missing,
      numbers_ != nullptr ? "the median stands for them"
                          : "no value stands for them"));
}

float ColumnFeatures::scaled(double x) const {
  const double y = column_.log_scaled ? signed_log(x) : x;
  return static_cast<float>((y - column_.mean) / column_.deviation);
}

bool ColumnFeatures::write(int64_t begin, int64_t end, float* features,
                           int64_t width) const {
  float* const out = features + begin * width + column_.first_feature;
  if (numbers_ != nullptr) return write_numbers(begin, end, out, width);
  write_words(begin, end, out, width);
  return true;
}

bool ColumnFeatures::write_numbers(int64_t begin, int64_t end, float* out,
                                   int64_t width) const {
  const double* const number = numbers_->data();
  for (int64_t row = begin; row < end; ++row, out += width) {
    const bool missing = std::isnan(number[row]);
    const double x = missing ? column_.fill : number[row];
    out[0] = scaled(x);
    if (!std::isfinite(out[0])) return false;
    if (column_.kind == ColumnKind::date) {
      const auto [sine, cosine] = season_of(x);
      out[1] = static_cast<float>(sine);
      out[2] = static_cast<float>(cosine);
    }
    if (missing && column_.flags_missing) out[flag()] = 1;
  }
  return true;
}

void ColumnFeatures::write_words(int64_t begin, int64_t end, float* out,
                                 int64_t width) const {
  const bool yes_no = column_.kind == ColumnKind::yes_no;
  const int32_t* const codes = codes_->data();
  for (int64_t row = begin; row < end; ++row, out += width) {
    const int32_t code = codes[row];
    const int64_t feature =
        code < 0 ? -1 : feature_of_value_[static_cast<size_t>(code)];
    if (yes_no) {
      out[0] = code < 0 ? 0.5F : static_cast<float>(feature);
    } else if (feature >= 0) {
      out[feature] = 1;
    }
    if (code < 0 && column_.flags_missing) out[flag()] = 1;
  }
}

void ColumnFeatures::check_range() const {
  if (numbers_ == nullptr) return;
  for (size_t row = 0; row < numbers_->size(); ++row) {
    const double number = (*numbers_)[row];
    const double x = std::isnan(number) ? column_.fill : number;
    if (std::isfinite(scaled(x))) continue;
    fail(
        "column '{}', row {}: {} is too far from the values of the training to "
        "be scaled",
        column_.name, row + 1, x);
  }
}

}  // namespace ordered_gnn::data
