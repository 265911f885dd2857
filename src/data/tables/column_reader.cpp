#include "data/tables/column_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

constexpr size_t kMaxWords = 100000;  // of which none is a category any more
constexpr int64_t kMaxCategories = 1000;  // before rare ones are joined

std::string shown(std::string_view cell) {
  constexpr size_t kMost = 40;
  return fmt::format("'{}{}'", cell.substr(0, kMost),
                     cell.size() > kMost ? "..." : "");
}

}  // namespace

AskedKind parse_asked_kind(const std::string& text) {
  static const std::vector<std::string> known = {
      "number", "category", "yes_no",   "date",
      "text",   "date:ymd", "date:dmy", "date:mdy"};
  const size_t index = core::parse_name("kind of column", text, known);
  if (index < 5) return {static_cast<ColumnKind>(index), std::nullopt};
  return {ColumnKind::date, static_cast<DateOrder>(index - 5)};
}

ColumnReader::ColumnReader(std::string name, std::optional<AskedKind> asked)
    : name_(std::move(name)), asked_(asked) {}

bool ColumnReader::parse(std::string_view cell, double& value) const {
  switch (form_) {
    case Form::number:
      return parse_cell_number(cell, value);
    case Form::decimal_comma:
      return parse_decimal_comma(cell, value);
    case Form::date:
      return parse_date(cell, order_, value);
    case Form::words:
      break;
  }
  return false;
}

// Whether the sample is of this form, missing cells aside.
bool ColumnReader::tries(Form form,
                         const std::vector<std::string_view>& sample) {
  form_ = form;
  int64_t fits = 0;
  double value = 0;
  for (const std::string_view cell : sample) {
    if (parse(cell, value)) {
      ++fits;
    } else if (!is_missing_word(cell)) {
      return false;
    }
  }
  return fits > 0;
}

void ColumnReader::guess(const std::vector<std::string_view>& sample,
                         size_t num_cells) {
  choose_form(sample);
  num_expected_ = num_cells;
  expect_cells();
}

// Growing step by step would copy and touch the memory several times.
void ColumnReader::expect_cells() {
  if (form_ == Form::words) {
    codes_.reserve(num_expected_);
  } else {
    numbers_.reserve(num_expected_);
  }
}

void ColumnReader::choose_form(const std::vector<std::string_view>& sample) {
  const bool wants_words = asked_ && asked_->kind != ColumnKind::number &&
                           asked_->kind != ColumnKind::date;
  if (wants_words) {
    form_ = Form::words;
    return;
  }
  if (!is_asked(ColumnKind::date)) {
    for (const Form form : {Form::number, Form::decimal_comma}) {
      if (tries(form, sample)) return;
    }
    if (is_asked(ColumnKind::number)) {
      form_ = Form::number;
      return;
    }
  }
  std::vector<DateOrder> orders = {DateOrder::year_first, DateOrder::day_first,
                                   DateOrder::month_first};
  if (asked_ && asked_->order) orders = {*asked_->order};
  std::vector<DateOrder> fitting;
  for (const DateOrder order : orders) {
    order_ = order;
    if (tries(Form::date, sample)) fitting.push_back(order);
  }
  order_is_open_ = fitting.size() > 1;
  if (!fitting.empty() || is_asked(ColumnKind::date)) {
    form_ = Form::date;
    order_ = fitting.empty() ? orders.front() : fitting.front();
    return;
  }
  form_ = Form::words;
}

void ColumnReader::add(std::string_view cell, int64_t line) {
  ++num_cells_;
  if (form_ == Form::words) {
    add_word(cell);
  } else {
    add_value(cell, line);
  }
}

void ColumnReader::add_value(std::string_view cell, int64_t line) {
  double value = kMissingNumber;
  if (parse(cell, value)) {
    ++num_values_;
  } else {
    value = kMissingNumber;
    if (!is_missing_word(cell)) {
      ++num_misfits_;
      if (misfit_line_ == 0) {
        misfit_line_ = line;
        misfit_ = cell;
      }
    }
  }
  numbers_.push_back(value);
}

void ColumnReader::add_word(std::string_view cell) {
  if (too_many_words_) return;
  if (cell.empty()) {
    codes_.push_back(-1);
    return;
  }
  ++num_values_;
  const int64_t found = index_.find(cell);
  if (found >= 0) {
    ++counts_[static_cast<size_t>(found)];
    codes_.push_back(static_cast<int32_t>(found));
    return;
  }
  if (words_.size() == kMaxWords) {
    too_many_words_ = true;
    return;
  }
  codes_.push_back(static_cast<int32_t>(words_.size()));
  words_.emplace_back(cell);
  index_.add_last(words_);
  counts_.push_back(1);
}

void ColumnReader::restart() {
  reading_again_ = true;
  // What was asked for stays: its misfits are missing. A guess was wrong, and
  // words hold anything. A date may only have been in the other order.
  const bool other_order =
      form_ == Form::date && order_is_open_ && order_ == DateOrder::day_first;
  if (other_order) {
    order_ = DateOrder::month_first;
    order_is_open_ = false;
    reading_again_ = false;
    misfit_line_ = 0;
    num_misfits_ = 0;
  } else {
    form_ = Form::words;
  }
  num_cells_ = num_values_ = 0;
  numbers_ = {};
  expect_cells();
}

void ColumnReader::finish_numbers(TableColumn& out) {
  out.kind = form_ == Form::date ? ColumnKind::date : ColumnKind::number;
  out.numbers = std::move(numbers_);
  out.num_missing = num_cells_ - num_values_;
  const bool zero_or_one =
      std::all_of(out.numbers.begin(), out.numbers.end(),
                  [](double x) { return std::isnan(x) || x == 0 || x == 1; });
  if (!zero_or_one || asked_ || form_ == Form::date) return;
  out.kind = ColumnKind::yes_no;
  out.values = {"0", "1"};
  out.codes.reserve(out.numbers.size());
  for (const double x : out.numbers) {
    out.codes.push_back(std::isnan(x) ? -1 : static_cast<int32_t>(x));
  }
  out.numbers = {};
}

// When all words that are not missing mean no or yes: codes 0 and 1.
bool ColumnReader::become_yes_no(TableColumn& out) {
  std::vector<int32_t> meaning;
  std::vector<std::string> spelling(2);
  for (const std::string& word : words_) {
    const int value = yes_no_value(word);
    if (value < 0 && !is_missing_word(word)) return false;
    if (value >= 0) {
      std::string& known = spelling[static_cast<size_t>(value)];
      // "yes" beside "true" is no pair of words any more.
      if (!known.empty() && core::lower_case(known) != core::lower_case(word)) {
        return false;
      }
      if (known.empty()) known = word;
    }
    meaning.push_back(value);
  }
  if (spelling[0].empty() && spelling[1].empty()) return false;
  if (spelling[0].empty()) spelling[0] = "no";
  if (spelling[1].empty()) spelling[1] = "yes";
  out.kind = ColumnKind::yes_no;
  out.values = spelling;
  out.codes = std::move(codes_);
  for (int32_t& code : out.codes) {
    if (code >= 0) code = meaning[static_cast<size_t>(code)];
  }
  return true;
}

void ColumnReader::finish_words(TableColumn& out) {
  const auto distinct = static_cast<int64_t>(words_.size());
  out.num_distinct = distinct;
  out.num_missing = num_cells_ - num_values_;
  out.kind = ColumnKind::text;
  if (is_asked(ColumnKind::text)) return;
  if (distinct == 0) {
    if (!asked_) return;
    out.kind = asked_->kind;
    out.codes = std::move(codes_);
    if (out.kind == ColumnKind::yes_no) out.values = {"no", "yes"};
    return;
  }
  if (!is_asked(ColumnKind::category) && become_yes_no(out)) {
    out.num_missing = std::count(out.codes.begin(), out.codes.end(), -1);
    return;
  }
  if (is_asked(ColumnKind::yes_no)) {
    fail(
        "column '{}' is asked to be yes_no, but has '{}'; yes_no takes "
        "yes/no, y/n, true/false, t/f, 1/0 and on/off",
        name_, words_.front());
  }
  if (too_many_words_ && is_asked(ColumnKind::category)) {
    fail(
        "column '{}' has more than {} different texts; too many for a "
        "category",
        name_, kMaxWords);
  }
  const bool is_short = !too_many_words_ && distinct <= kMaxCategories;
  const bool repeats = is_short && 2 * distinct <= num_values_;
  if (!is_short && !is_asked(ColumnKind::category)) return;
  if (repeats || is_asked(ColumnKind::category)) {
    out.kind = ColumnKind::category;
  }
  out.codes = std::move(codes_);
  out.values.assign(words_.begin(), words_.end());
}

// Cells that are numbers in a column of words.
int64_t ColumnReader::count_numbers() const {
  int64_t count = 0;
  double value = 0;
  for (size_t i = 0; i < words_.size(); ++i) {
    if (parse_cell_number(words_[i], value)) count += counts_[i];
  }
  return count;
}

void ColumnReader::note_misfit(std::vector<std::string>& notes,
                               const TableColumn& out) const {
  if (misfit_line_ > 0 && asked_) {
    notes.push_back(fmt::format(
        "column '{}': {} cells are no {} and count as missing, the first in "
        "line {}: {}",
        name_, num_misfits_, to_string(asked_->kind), misfit_line_,
        shown(misfit_)));
  } else if (misfit_line_ > 0) {
    notes.push_back(fmt::format(
        "column '{}' is read as {} for {} in line {}; --column {}=number or "
        "=date takes such cells as missing",
        name_, to_string(out.kind), shown(misfit_), misfit_line_, name_));
  }
  const bool was_guess = misfit_line_ == 0 && !asked_;
  if (form_ == Form::words && was_guess && 2 * count_numbers() > num_values_) {
    notes.push_back(fmt::format(
        "column '{}' is read as {}, for some of its cells are no numbers; "
        "--column {}=number takes those as missing",
        name_, to_string(out.kind), name_));
  }
  if (form_ == Form::decimal_comma) {
    notes.push_back(fmt::format(
        "column '{}': a comma stands before the fraction of its numbers",
        name_));
  }
  if (form_ == Form::date && order_is_open_) {
    notes.push_back(
        fmt::format("column '{}': dates are read as day, month, year; --column "
                    "{}=date:mdy reads month, day, year",
                    name_, name_));
  }
}

TableColumn ColumnReader::finish(std::vector<std::string>& notes) {
  TableColumn out;
  out.name = name_;
  if (form_ == Form::words) {
    finish_words(out);
  } else {
    finish_numbers(out);
  }
  note_misfit(notes, out);
  return out;
}

}  // namespace ordered_gnn::data
