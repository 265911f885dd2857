#include "data/formats/csv/masks.h"

#include <string_view>

#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// More than any benchmark has; a header alone must not cost hours.
constexpr int64_t kMaxSplits = 10000;

enum Part : uint8_t { kTrain = 0, kVal = 1, kTest = 2, kNone = 3 };

Part parse_part(std::string_view cell, const SourceLine& place) {
  if (cell.empty()) return kNone;
  if (cell == "train") return kTrain;
  if (cell == "val") return kVal;
  if (cell == "test") return kTest;
  fail_at(place, fmt::format("expected train, val, test or an empty cell, got "
                             "'{}'",
                             cell.substr(0, 40)));
}

void check_header(const CsvTable& table) {
  if (table.num_columns() < 2 || table.header()[0] != "node") {
    table.fail_header();
  }
  if (table.num_columns() - 1 > kMaxSplits) {
    fail_at(table.place(), fmt::format("expected at most {} splits, got {}",
                                       kMaxSplits, table.num_columns() - 1));
  }
  for (int64_t k = 1; k < table.num_columns(); ++k) {
    if (table.header()[k] != fmt::format("split_{}", k - 1)) {
      table.fail_header();
    }
  }
}

// Cells by row as they come: no more memory than the file has text.
struct MaskRows {
  std::vector<int64_t> row_of_node;  // -1: none
  std::vector<Part> cells;           // [rows, splits]
};

MaskRows read_rows(CsvTable& table, const fs::path& file,
                   const NodeIds& nodes) {
  MaskRows rows;
  rows.row_of_node.assign(static_cast<size_t>(nodes.size()), -1);
  std::string_view line;
  for (int64_t row = 0; table.next(line); ++row) {
    const SourceLine& place = table.place();
    CsvFields fields(line, place, table.num_columns());
    const int64_t node = nodes.require(fields.take(), place);
    if (rows.row_of_node[node] >= 0) {
      fail_at(place,
              fmt::format("node '{}' was already given in line {}",
                          nodes.text_of(node),
                          line_of_row(file, rows.row_of_node[node]).line));
    }
    rows.row_of_node[node] = row;
    for (int64_t k = 1; k < table.num_columns(); ++k) {
      rows.cells.push_back(parse_part(fields.take(), place));
    }
    fields.finish();
  }
  return rows;
}

}  // namespace

std::vector<Split> read_csv_masks(const fs::path& file, const NodeIds& nodes) {
  CsvTable table(file, csv_layout::kMaskHeader);
  check_header(table);
  const MaskRows rows = read_rows(table, file, nodes);
  const int64_t num_splits = table.num_columns() - 1;
  std::vector<Split> splits;
  for (int64_t k = 0; k < num_splits; ++k) {
    std::vector<int64_t> parts[4];
    for (int64_t v = 0; v < nodes.size(); ++v) {
      const int64_t row = rows.row_of_node[v];
      if (row >= 0) parts[rows.cells[row * num_splits + k]].push_back(v);
    }
    splits.push_back({tensor_of(parts[kTrain]), tensor_of(parts[kVal]),
                      tensor_of(parts[kTest])});
  }
  return splits;
}

}  // namespace ordered_gnn::data
