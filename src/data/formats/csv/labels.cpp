#include "data/formats/csv/labels.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "core/names.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

[[noreturn]] void fail_class(std::string_view cell, const SourceLine& place) {
  fail_at(place, fmt::format("expected a class in [0, {}), a class name, or an "
                             "empty cell or -1 for an unlabelled node, got "
                             "'{}'",
                             kMaxClasses, cell.substr(0, 40)));
}

bool is_negative_number(std::string_view cell) {
  return cell.size() > 1 && cell[0] == '-' &&
         cell.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

int64_t CsvLabels::code_of(std::string_view name) {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  const int64_t code = static_cast<int64_t>(names_.size());
  index_.emplace(names_.emplace_back(name), code);
  return code;
}

void CsvLabels::become_names() {
  are_numbers_ = false;
  for (int64_t& code : codes_) {
    if (code >= 0) code = code_of(std::to_string(code));
  }
}

void CsvLabels::add(std::string_view cell, const SourceLine& place) {
  if (cell.empty() || cell == "-1") {
    codes_.push_back(-1);
    return;
  }
  if (is_negative_number(cell)) fail_class(cell, place);
  if (are_numbers_) {
    if (const std::optional<int64_t> number = plain_number(cell)) {
      if (*number >= kMaxClasses) fail_class(cell, place);
      codes_.push_back(*number);
      return;
    }
    become_names();
  }
  codes_.push_back(code_of(cell));
}

// The class of every name when the sorted names are the classes.
std::vector<int64_t> CsvLabels::classes_by_order(RawDataset& raw) const {
  std::vector<int64_t> order(names_.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return names_[a] < names_[b]; });
  std::vector<int64_t> class_of(names_.size());
  for (size_t c = 0; c < order.size(); ++c) {
    class_of[order[c]] = static_cast<int64_t>(c);
    raw.class_names.push_back(names_[order[c]]);
  }
  return class_of;
}

// The class of every name when the classes have their names already.
std::vector<int64_t> CsvLabels::classes_by_name(
    const std::filesystem::path& file, const RawDataset& raw) const {
  std::unordered_map<std::string_view, int64_t> known;
  for (size_t c = 0; c < raw.class_names.size(); ++c) {
    known.emplace(raw.class_names[c], static_cast<int64_t>(c));
  }
  std::vector<int64_t> class_of;
  for (size_t code = 0; code < names_.size(); ++code) {
    const auto found = known.find(names_[code]);
    if (found == known.end()) {
      const auto first =
          std::find(codes_.begin(), codes_.end(), static_cast<int64_t>(code));
      fail_at(line_of_row(file, first - codes_.begin()),
              fmt::format("{}; the classes are those of class_names in {}",
                          core::unknown_name_message("class", names_[code],
                                                     raw.class_names),
                          csv_layout::kMeta));
    }
    class_of.push_back(found->second);
  }
  return class_of;
}

void CsvLabels::fill(const std::filesystem::path& file, const NodeIds& nodes,
                     RawDataset& raw) const {
  std::vector<int64_t> class_of;
  if (!are_numbers_) {
    class_of = raw.class_names.empty() ? classes_by_order(raw)
                                       : classes_by_name(file, raw);
  }
  raw.labels = at::empty({nodes.size()}, at::kLong);
  int64_t* const labels = raw.labels.data_ptr<int64_t>();
  int64_t largest = static_cast<int64_t>(raw.class_names.size()) - 1;
  for (int64_t row = 0; row < nodes.size(); ++row) {
    const int64_t code = codes_[row];
    const int64_t label = code < 0 || are_numbers_ ? code : class_of[code];
    labels[nodes.node_of_row(row)] = label;
    largest = std::max(largest, label);
  }
  raw.num_classes = largest + 1;
}

void read_csv_labels(const std::filesystem::path& file, NodeIds& nodes,
                     RawDataset& raw) {
  CsvTable table(file, csv_layout::kLabelHeader);
  table.require_header();
  CsvLabels labels;
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    nodes.add(fields.take(), table.place());
    labels.add(fields.take(), table.place());
    fields.finish();
  }
  if (nodes.size() == 0) fail_in(file, "there are no nodes after the header");
  nodes.finish(file);
  labels.fill(file, nodes, raw);
}

}  // namespace ordered_gnn::data
