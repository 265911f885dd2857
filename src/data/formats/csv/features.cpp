#include "data/formats/csv/features.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <vector>

#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "data/formats/dense_rows.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// Takes the node number off the front of the line when it is a plain one;
// -1 leaves the line as it is.
int64_t quick_node(std::string_view& line, int64_t num_nodes) {
  const char* at = line.data();
  const char* const end = at + line.size();
  int64_t node = 0;
  if (!core::quick_integer(at, end, node) || at == end || *at != ',' ||
      node >= num_nodes) {
    return -1;
  }
  line.remove_prefix(static_cast<size_t>(at + 1 - line.data()));
  return node;
}

// Takes the id off the front of the line.
int64_t take_node(std::string_view& line, const NodeIds& nodes,
                  const CsvTable& table) {
  if (nodes.are_numbers()) {
    const int64_t node = quick_node(line, nodes.size());
    if (node >= 0) return node;
  }
  CsvFields fields(line, table.place(), table.num_columns());
  const int64_t node = nodes.require(fields.take(), table.place());
  line = fields.rest();
  return node;
}

// For every node the row that gives it.
std::vector<int64_t> rows_of_nodes(const fs::path& file,
                                   const std::vector<int64_t>& node_of_row,
                                   const NodeIds& nodes) {
  std::vector<int64_t> row_of_node(static_cast<size_t>(nodes.size()), -1);
  const int64_t num_rows = static_cast<int64_t>(node_of_row.size());
  for (int64_t row = 0; row < num_rows; ++row) {
    int64_t& owner = row_of_node[node_of_row[row]];
    if (owner >= 0) {
      fail_at(line_of_row(file, row),
              fmt::format("node '{}' was already given in line {}",
                          nodes.text_of(node_of_row[row]),
                          line_of_row(file, owner).line));
    }
    owner = row;
  }
  const auto missing = std::find(row_of_node.begin(), row_of_node.end(), -1);
  if (missing != row_of_node.end()) {
    fail_in(file, fmt::format("there is no row for node '{}'; {} rows for {} "
                              "nodes",
                              nodes.text_of(missing - row_of_node.begin()),
                              num_rows, nodes.size()));
  }
  return row_of_node;
}

at::Tensor in_node_order(const at::Tensor& rows,
                         const std::vector<int64_t>& row_of_node) {
  if (std::is_sorted(row_of_node.begin(), row_of_node.end())) return rows;
  at::Tensor out = at::empty_like(rows);
  const int64_t width = rows.size(1);
  const float* const from = rows.data_ptr<float>();
  float* to = out.data_ptr<float>();
  for (const int64_t row : row_of_node) {
    to = std::copy_n(from + row * width, width, to);
  }
  return out;
}

// Two rows of a node: found by reading again.
[[noreturn]] void fail_second_row(const fs::path& file, const NodeIds& nodes,
                                  int64_t node, const SourceLine& second) {
  CsvTable table(file, csv_layout::kFeatureHeader);
  std::string_view line;
  while (table.next(line)) {
    if (take_node(line, nodes, table) == node) break;
  }
  fail_at(second, fmt::format("node '{}' was already given in line {}",
                              nodes.text_of(node), table.place().line));
}

[[noreturn]] void fail_missing(const fs::path& file, const NodeIds& nodes,
                               const std::vector<bool>& has_row,
                               int64_t num_rows) {
  const auto missing = std::find(has_row.begin(), has_row.end(), false);
  fail_in(file, fmt::format("there is no row for node '{}'; {} rows for {} "
                            "nodes",
                            nodes.text_of(missing - has_row.begin()), num_rows,
                            nodes.size()));
}

void require_feature_header(const CsvTable& table) {
  if (table.num_columns() < 2 || table.header()[0] != "node") {
    table.fail_header();
  }
}

}  // namespace

void read_csv_feature_ids(const fs::path& file, NodeIds& nodes) {
  CsvTable table(file, csv_layout::kFeatureHeader);
  require_feature_header(table);
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    nodes.add(fields.take(), table.place());
  }
  if (nodes.size() == 0) fail_in(file, "there are no rows after the header");
  nodes.finish(file);
}

std::vector<std::string> csv_feature_names(const fs::path& file) {
  const CsvTable table(file, csv_layout::kFeatureHeader);
  require_feature_header(table);
  return {table.header().begin() + 1, table.header().end()};
}

void walk_csv_features(const fs::path& file, const NodeIds& nodes, int64_t most,
                       const OnCsvRows& on_rows) {
  CsvTable table(file, csv_layout::kFeatureHeader);
  require_feature_header(table);
  const int64_t width = table.num_columns() - 1;
  std::vector<bool> has_row(static_cast<size_t>(nodes.size()), false);
  std::vector<int64_t> owners;
  DenseRows rows(width, most, file.string());
  int64_t count = 0;
  const auto hand_over = [&] {
    on_rows(tensor_of(owners), rows.values());
    owners.clear();
    rows = DenseRows(width, most, file.string());
  };
  std::string_view line;
  while (table.next(line)) {
    const int64_t node = take_node(line, nodes, table);
    if (has_row[static_cast<size_t>(node)]) {
      fail_second_row(file, nodes, node, table.place());
    }
    has_row[static_cast<size_t>(node)] = true;
    owners.push_back(node);
    ++count;
    parse_number_row(line, width, rows.append(), table.place(),
                     table.header().data() + 1);
    if (rows.num_rows() == most) hand_over();
  }
  if (count == 0) fail_in(file, "there are no rows after the header");
  if (count < nodes.size()) fail_missing(file, nodes, has_row, count);
  if (rows.num_rows() > 0) hand_over();
}

at::Tensor read_csv_features(const fs::path& file, NodeIds& nodes,
                             DefinesNodes defines,
                             std::vector<std::string>& names) {
  CsvTable table(file, csv_layout::kFeatureHeader);
  require_feature_header(table);
  names.assign(table.header().begin() + 1, table.header().end());
  DenseRows rows(table.num_columns() - 1, nodes.size(), file.string());
  std::vector<int64_t> node_of_row;
  std::string_view line;
  while (table.next(line)) {
    if (defines == DefinesNodes::yes) {
      CsvFields fields(line, table.place(), table.num_columns());
      nodes.add(fields.take(), table.place());
      line = fields.rest();
    } else {
      node_of_row.push_back(take_node(line, nodes, table));
    }
    parse_number_row(line, rows.width(), rows.append(), table.place(),
                     table.header().data() + 1);
  }
  if (rows.num_rows() == 0) fail_in(file, "there are no rows after the header");
  if (defines == DefinesNodes::yes) {
    nodes.finish(file);
    for (int64_t row = 0; row < nodes.size(); ++row) {
      node_of_row.push_back(nodes.node_of_row(row));
    }
  }
  return in_node_order(rows.values(), rows_of_nodes(file, node_of_row, nodes));
}

}  // namespace ordered_gnn::data
