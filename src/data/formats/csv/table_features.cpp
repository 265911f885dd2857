#include "data/formats/csv/table_features.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "data/formats/csv/layout.h"
#include "data/tables/import.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// Finds the nodes of rows that another file has defined.
class KnownNodeSink : public CellSink {
 public:
  KnownNodeSink(const fs::path& file, const NodeIds& nodes)
      : place_{file, 0},
        nodes_(nodes),
        line_of_node_(static_cast<size_t>(nodes.size()), 0) {}

  void add(std::string_view cell, int64_t line) override {
    place_.line = line;
    const int64_t node = nodes_.require(cell, place_);
    int64_t& owner = line_of_node_[static_cast<size_t>(node)];
    if (owner > 0) {
      fail_at(place_, fmt::format("node '{}' was already given in line {}",
                                  nodes_.text_of(node), owner));
    }
    owner = line;
    node_of_row.push_back(node);
  }
  void require_all() const {
    const auto missing =
        std::find(line_of_node_.begin(), line_of_node_.end(), 0);
    if (missing == line_of_node_.end()) return;
    fail_in(place_.file,
            fmt::format("there is no row for node '{}'; {} rows for {} nodes",
                        nodes_.text_of(missing - line_of_node_.begin()),
                        node_of_row.size(), nodes_.size()));
  }

  std::vector<int64_t> node_of_row;

 private:
  SourceLine place_;
  const NodeIds& nodes_;
  std::vector<int64_t> line_of_node_;
};

template <typename T>
void reorder(std::vector<T>& values, const std::vector<int64_t>& node_of_row) {
  if (values.empty()) return;
  std::vector<T> out(values.size());
  for (size_t row = 0; row < values.size(); ++row) {
    out[static_cast<size_t>(node_of_row[row])] = values[row];
  }
  values = std::move(out);
}

void put_in_node_order(Table& table, const std::vector<int64_t>& node_of_row) {
  if (std::is_sorted(node_of_row.begin(), node_of_row.end())) return;
  for (TableColumn& column : table.columns) {
    reorder(column.numbers, node_of_row);
    reorder(column.codes, node_of_row);
  }
}

}  // namespace

void fail_csv_header(const DelimitedText& text, const char* expected) {
  constexpr size_t kMaxShown = 200;
  std::string found = fmt::format("{}", fmt::join(text.header(), ","));
  if (found.size() > kMaxShown) found = found.substr(0, kMaxShown) + "...";
  fail_at({text.file(), 1},
          fmt::format("expected the header '{}', got '{}'", expected, found));
}

void read_csv_table(const fs::path& file, const CsvMeta& meta,
                    const LoadOptions& options, DefinesNodes defines,
                    NodeIds& nodes, RawDataset& raw) {
  const DelimitedText text(file);
  if (text.header().size() < 2 || text.header()[0] != "node") {
    fail_csv_header(text, csv_layout::kFeatureHeader);
  }
  const std::vector<Column>& columns =
      options.columns.empty() ? meta.columns : options.columns;
  TableRequest request;
  for (const Column& column : columns) {
    const bool here = std::find(text.header().begin(), text.header().end(),
                                column.name) != text.header().end();
    if (here) request.asked[column.name] = {column.kind, std::nullopt};
  }
  for (const std::string& note : text.notes()) {
    raw.provenance.notes.push_back(note);
  }
  Table table;
  std::vector<int64_t> node_of_row;
  if (defines == DefinesNodes::yes) {
    NodeIdSink ids(file, nodes);
    request.sinks[0] = &ids;
    table = read_table(text, request, raw.provenance.notes);
    if (table.num_rows == 0) {
      fail_in(file, "there are no rows after the header");
    }
    nodes.finish(file);
    for (int64_t row = 0; row < nodes.size(); ++row) {
      node_of_row.push_back(nodes.node_of_row(row));
    }
  } else {
    KnownNodeSink ids(file, nodes);
    request.sinks[0] = &ids;
    table = read_table(text, request, raw.provenance.notes);
    ids.require_all();
    node_of_row = std::move(ids.node_of_row);
  }
  put_in_node_order(table, node_of_row);
  raw.columns = meta.columns.empty() ? fit_columns(table) : meta.columns;
  raw.table = std::make_shared<Table>(std::move(table));
  make_features(raw, options);
}

}  // namespace ordered_gnn::data
