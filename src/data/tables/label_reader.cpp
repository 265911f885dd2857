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
  const int64_t found = index_.find(cell);
  if (found >= 0) {
    codes_.push_back(found);
    return;
  }
  codes_.push_back(static_cast<int64_t>(words_.size()));
  words_.emplace_back(cell);
  lines_.push_back(line);
  index_.add_last(words_);
}

std::vector<int64_t> LabelReader::class_of_words(
    const std::filesystem::path& file, const KnownClasses& known,
    Labels& out) const {
  const bool is_known = !known.names.empty() || known.num_classes.has_value();
  const auto is_plain = [](const std::string& word) {
    return plain_number(word).has_value();
  };
  const bool all_plain = std::all_of(words_.begin(), words_.end(), is_plain);
  std::vector<int64_t> classes;
  if (is_known && all_plain) {
    const int64_t limit =
        known.num_classes.value_or(static_cast<int64_t>(known.names.size()));
    for (size_t i = 0; i < words_.size(); ++i) {
      classes.push_back(*plain_number(words_[i]));
      if (classes.back() >= limit) {
        fail_at({file, lines_[i]},
                fmt::format("expected a class in [0, {}), got '{}'", limit,
                            words_[i]));
      }
    }
    out.num_classes = limit;
    out.class_names = known.names;
    return classes;
  }
  if (known.num_classes && known.names.empty()) {
    const auto bad = std::find_if_not(words_.begin(), words_.end(), is_plain);
    fail_at({file, lines_[static_cast<size_t>(bad - words_.begin())]},
            fmt::format("expected a class in [0, {}) or an empty cell for a "
                        "node without a label, got '{}'",
                        *known.num_classes, bad->substr(0, 40)));
  }
  if (is_known) {
    for (size_t i = 0; i < words_.size(); ++i) {
      const auto found =
          std::find(known.names.begin(), known.names.end(), words_[i]);
      if (found == known.names.end()) {
        fail_at({file, lines_[i]},
                core::unknown_name_message("class", words_[i], known.names));
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
    all_numbers = all_numbers && parse_cell_number(words_[i], numbers[i]);
  }
  std::vector<size_t> order(words_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (all_numbers && numbers[a] != numbers[b]) return numbers[a] < numbers[b];
    return words_[a] < words_[b];
  });
  classes.resize(words_.size());
  bool are_own_numbers = true;
  for (size_t c = 0; c < order.size(); ++c) {
    classes[order[c]] = static_cast<int64_t>(c);
    out.class_names.push_back(words_[order[c]]);
    are_own_numbers =
        are_own_numbers && out.class_names.back() == std::to_string(c);
  }
  out.num_classes = static_cast<int64_t>(words_.size());
  if (are_own_numbers) out.class_names.clear();
  return classes;
}

void LabelReader::add_notes(const Labels& out,
                            std::vector<std::string>& notes) const {
  if (unlabelled_ != "-1" && index_.find("-1") >= 0) {
    notes.emplace_back(
        "the label -1 is a class like any other; --unlabelled -1 says that it "
        "marks nodes without a label");
  }
  size_t fractions = 0;
  double value = 0;
  for (const std::string& word : words_) {
    if (parse_cell_number(word, value) && value != std::floor(value)) {
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
