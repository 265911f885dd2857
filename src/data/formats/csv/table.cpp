#include "data/formats/csv/table.h"

#include <utility>

namespace ordered_gnn::data {
namespace {

constexpr size_t kMaxShown = 200;

std::vector<std::string> split_header(std::string_view line,
                                      const SourceLine& place) {
  std::vector<std::string> names;
  CsvFields fields(line, place, 0);
  while (!fields.done()) names.emplace_back(fields.take());
  return names;
}

}  // namespace

CsvTable::CsvTable(const std::filesystem::path& file, std::string expected)
    : reader_(file), expected_(std::move(expected)) {
  std::string_view line;
  if (!reader_.next(line)) {
    fail_in(file, fmt::format("the file is empty; expected the header '{}'",
                              expected_));
  }
  found_ = line.substr(0, kMaxShown);
  if (line.size() > kMaxShown) found_ += "...";
  header_ = split_header(line, reader_.place());
}

void CsvTable::require_header() const {
  std::string joined;
  for (const std::string& name : header_) {
    joined += (joined.empty() ? "" : ",") + name;
  }
  if (joined != expected_) fail_header();
}

void CsvTable::fail_header() const {
  fail_at({reader_.place().file, 1},
          fmt::format("expected the header '{}', got '{}'", expected_, found_));
}

std::string_view CsvFields::take_quoted() {
  unescaped_.clear();
  size_t from = 1;
  for (;;) {
    const size_t quote = rest_.find('"', from);
    if (quote == std::string_view::npos) {
      fail_at(place_,
              "a quote is opened and not closed; line breaks inside a field "
              "are not read");
    }
    const bool doubled = quote + 1 < rest_.size() && rest_[quote + 1] == '"';
    if (!doubled) {
      std::string_view field = rest_.substr(from, quote - from);
      if (!unescaped_.empty()) field = unescaped_.append(field);
      const size_t comma = quote + 1;
      if (comma < rest_.size() && rest_[comma] != ',') {
        fail_at(place_,
                "expected a comma behind a closing quote; a quote inside a "
                "quoted field is written twice");
      }
      move_behind(comma);
      return field;
    }
    unescaped_.append(rest_.substr(from, quote + 1 - from));
    from = quote + 2;
  }
}

void CsvFields::fail_count() {
  while (!done_) take();
  fail_at(place_, fmt::format("expected {} columns as in the header, got {}",
                              num_columns_, taken_));
}

SourceLine line_of_row(const std::filesystem::path& file, int64_t row) {
  CsvTable table(file, "");
  std::string_view line;
  while (table.next(line) && row > 0) --row;
  return table.place();
}

}  // namespace ordered_gnn::data
