#include "data/tables/label_reader.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/names.h"
#include "data/formats/csv/nodes.h"
#include "data/tables/cells.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

constexpr size_t kManyClasses = 100;
constexpr size_t kFewValues = 20;

}  // namespace

void LabelReader::add(std::string_view cell, int64_t line) {
  if (cell.empty() || (!unlabelled_.empty() && cell == unlabelled_)) {
    codes_.push_back(-1);
    return;
  }
  const auto found = index_.find(cell);
  if (found != index_.end()) {
    codes_.push_back(found->second);
    return;
  }
  const auto code = static_cast<int64_t>(words_.size());
  words_.push_back({std::string(cell), line});
  index_.emplace(words_.back().text, code);
  codes_.push_back(code);
}

std::vector<int64_t> LabelReader::class_of_words(
    const std::filesystem::path& file, const KnownClasses& known,
    Labels& out) const {
  const bool is_known = !known.names.empty() || known.num_classes.has_value();
  const bool all_plain = std::all_of(
      words_.begin(), words_.end(),
      [](const Word& word) { return plain_number(word.text).has_value(); });
  std::vector<int64_t> classes;
  if (is_known && all_plain) {
    const int64_t limit =
        known.num_classes.value_or(static_cast<int64_t>(known.names.size()));
    for (const Word& word : words_) {
      classes.push_back(*plain_number(word.text));
      if (classes.back() >= limit) {
        fail_at({file, word.line},
                fmt::format("expected a class in [0, {}), got '{}'", limit,
                            word.text));
      }
    }
    out.num_classes = limit;
    out.class_names = known.names;
    return classes;
  }
  if (known.num_classes && known.names.empty()) {
    const auto bad = std::find_if(
        words_.begin(), words_.end(),
        [](const Word& word) { return !plain_number(word.text).has_value(); });
    fail_at({file, bad->line},
            fmt::format("expected a class in [0, {}) or an empty cell for a "
                        "node without a label, got '{}'",
                        *known.num_classes, bad->text.substr(0, 40)));
  }
  if (is_known) {
    for (const Word& word : words_) {
      const auto found =
          std::find(known.names.begin(), known.names.end(), word.text);
      if (found == known.names.end()) {
        fail_at({file, word.line},
                core::unknown_name_message("class", word.text, known.names));
      }
      classes.push_back(found - known.names.begin());
    }
    out.class_names = known.names;
    out.num_classes =
        known.num_classes.value_or(static_cast<int64_t>(known.names.size()));
    return classes;
  }
  std::vector<double> numbers(words_.size());
  bool all_numbers = true;
  for (size_t i = 0; i < words_.size(); ++i) {
    all_numbers = all_numbers && parse_cell_number(words_[i].text, numbers[i]);
  }
  std::vector<size_t> order(words_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (all_numbers && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return words_[a].text < words_[b].text;
  });
  classes.resize(words_.size());
  bool are_own_numbers = true;
  for (size_t c = 0; c < order.size(); ++c) {
    classes[order[c]] = static_cast<int64_t>(c);
    out.class_names.push_back(words_[order[c]].text);
    are_own_numbers =
        are_own_numbers && out.class_names.back() == std::to_string(c);
  }
  out.num_classes = static_cast<int64_t>(words_.size());
  if (are_own_numbers) out.class_names.clear();
  return classes;
}

void LabelReader::add_notes(const Labels& out,
                            std::vector<std::string>& notes) const {
  if (unlabelled_ != "-1" && index_.count("-1") > 0) {
    notes.emplace_back(
        "the label -1 is a class like any other; --unlabelled -1 says that it "
        "marks nodes without a label");
  }
  size_t fractions = 0;
  double value = 0;
  for (const Word& word : words_) {
    if (parse_cell_number(word.text, value) && value != std::floor(value)) {
      ++fractions;
    }
  }
  const char* const kRemedy =
      "this program sorts nodes into classes and does no regression: cut a "
      "quantity into a few ranges first";
  if (fractions > kFewValues) {
    notes.push_back(fmt::format(
        "the labels are numbers with fractions ({} different ones), like a "
        "quantity; {}",
        words_.size(), kRemedy));
  } else if (out.num_classes > static_cast<int64_t>(kManyClasses)) {
    notes.push_back(
        fmt::format("there are {} classes; is the label a quantity "
                    "or a name? If so, {}",
                    out.num_classes, kRemedy));
  }
}

LabelReader::Labels LabelReader::finish(const std::filesystem::path& file,
                                        const KnownClasses& known,
                                        std::vector<std::string>& notes) const {
  Labels out;
  const std::vector<int64_t> classes = class_of_words(file, known, out);
  if (out.num_classes > kMaxClasses) {
    fail_in(file, fmt::format("has {} different labels; at most {} classes are "
                              "taken",
                              out.num_classes, kMaxClasses));
  }
  out.by_row.reserve(codes_.size());
  for (const int64_t code : codes_) {
    out.by_row.push_back(code < 0 ? -1 : classes[static_cast<size_t>(code)]);
  }
  if (known.names.empty() && !known.num_classes) add_notes(out, notes);
  return out;
}

}  // namespace ordered_gnn::data
