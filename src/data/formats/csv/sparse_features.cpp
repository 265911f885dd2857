#include <ATen/Functions.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/io/text/quick_number.h"
#include "core/io/text/text.h"
#include "data/formats/csv/features.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

struct Entry {
  int64_t node = 0;
  int32_t feature = 0;
  float value = 0;
};

bool before(const Entry& a, const Entry& b) {
  return std::tie(a.node, a.feature) < std::tie(b.node, b.feature);
}

// A line of three plain numbers; false leaves it to the parser that explains.
bool quick_entry(std::string_view line, int64_t num_nodes, int64_t max_features,
                 Entry& entry) {
  const char* at = line.data();
  const char* const end = at + line.size();
  int64_t feature = 0;
  if (!core::quick_integer(at, end, entry.node) || at == end || *at++ != ',' ||
      !core::quick_integer(at, end, feature) || at == end || *at++ != ',' ||
      !core::quick_float(at, end, entry.value) || at != end) {
    return false;
  }
  entry.feature = static_cast<int32_t>(feature);
  return entry.node < num_nodes && feature < max_features;
}

Entry parse_entry(std::string_view line, const NodeIds& nodes,
                  int64_t max_features, const CsvTable& table) {
  const SourceLine& place = table.place();
  CsvFields fields(line, place, table.num_columns());
  Entry entry;
  entry.node = nodes.require(fields.take(), place);
  const int64_t feature =
      core::parse_integer(fields.take(), "feature number", place);
  if (feature < 0 || feature >= max_features) {
    fail_at(place, fmt::format("expected a feature number in [0, {}), got {}",
                               max_features, feature));
  }
  entry.feature = static_cast<int32_t>(feature);
  entry.value = core::parse_float(fields.take(), "feature value", place);
  fields.finish();
  return entry;
}

std::vector<Entry> read_entries(const fs::path& file, const NodeIds& nodes,
                                int64_t max_features) {
  CsvTable table(file, csv_layout::kSparseHeader);
  table.require_header();
  // Texts of digits can be ids as well; only find() knows them.
  const int64_t plain_nodes = nodes.are_numbers() ? nodes.size() : 0;
  std::vector<Entry> entries;
  std::string_view line;
  while (table.next(line)) {
    Entry entry;
    if (!quick_entry(line, plain_nodes, max_features, entry)) {
      entry = parse_entry(line, nodes, max_features, table);
    }
    entries.push_back(entry);
  }
  return entries;
}

// The second of two rows of the file that give the same place.
[[noreturn]] void fail_repeat(const fs::path& file, const Entry& entry,
                              const NodeIds& nodes, int64_t max_features) {
  const std::vector<Entry> entries = read_entries(file, nodes, max_features);
  std::vector<int64_t> rows;
  for (size_t row = 0; row < entries.size(); ++row) {
    const bool same = entries[row].node == entry.node &&
                      entries[row].feature == entry.feature;
    if (same) rows.push_back(static_cast<int64_t>(row));
  }
  fail_at(line_of_row(file, rows.at(1)),
          fmt::format("feature {} of node '{}' was already given in line {}",
                      entry.feature, nodes.text_of(entry.node),
                      line_of_row(file, rows.at(0)).line));
}

SparseRows sparse_rows(const std::vector<Entry>& entries, int64_t num_nodes) {
  const int64_t count = static_cast<int64_t>(entries.size());
  SparseRows rows{at::zeros({num_nodes + 1}, at::kLong),
                  at::empty({count}, at::kInt), at::empty({count}, at::kFloat)};
  int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  int32_t* const col = rows.col.data_ptr<int32_t>();
  float* const value = rows.value.data_ptr<float>();
  for (int64_t e = 0; e < count; ++e) {
    ++rowptr[entries[e].node + 1];
    col[e] = entries[e].feature;
    value[e] = entries[e].value;
  }
  for (int64_t v = 0; v < num_nodes; ++v) rowptr[v + 1] += rowptr[v];
  return rows;
}

}  // namespace

NodeFeatures read_csv_sparse_features(const fs::path& file,
                                      const NodeIds& nodes,
                                      std::optional<int64_t> num_features) {
  const int64_t max_features =
      std::min(num_features.value_or(kMaxFeatures), kMaxFeatures);
  std::vector<Entry> entries = read_entries(file, nodes, max_features);
  if (!std::is_sorted(entries.begin(), entries.end(), before)) {
    std::sort(entries.begin(), entries.end(), before);
  }
  int64_t width = num_features.value_or(0);
  for (size_t e = 0; e < entries.size(); ++e) {
    if (e > 0 && !before(entries[e - 1], entries[e])) {
      fail_repeat(file, entries[e], nodes, max_features);
    }
    width = std::max<int64_t>(width, entries[e].feature + 1);
  }
  return NodeFeatures::sparse(sparse_rows(entries, nodes.size()), width);
}

}  // namespace ordered_gnn::data
