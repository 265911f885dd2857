#include "data/tables/import.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/names.h"
#include "data/formats/feature_rows.h"
#include "data/formats/name_index.h"
#include "data/paths.h"
#include "data/tables/delimited_text.h"
#include "data/tables/graphml.h"
#include "data/tables/label_reader.h"
#include "data/tables/table_reader.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

class IdReader : public CellSink {
 public:
  explicit IdReader(const fs::path& file) : file_(file) {}
  void expect(size_t num_cells) override {
    ids_.reserve(num_cells);
    lines_.reserve(num_cells);
  }
  void add(std::string_view cell, int64_t line) override {
    if (cell.empty()) fail_at({file_, line}, "the id of this node is empty");
    ids_.emplace_back(cell);
    lines_.push_back(line);
  }
  // Indexes the ids; they stay here.
  void finish(NameIndex& index) {
    const int64_t repeat = index.build(ids_);
    if (repeat < 0) return;
    const std::string& id = ids_[static_cast<size_t>(repeat)];
    const int64_t first = index.find(id);
    fail_at({file_, lines_[static_cast<size_t>(repeat)]},
            fmt::format("node '{}' was already given in line {}; every node "
                        "needs an id of its own, --id names their column",
                        id, lines_[static_cast<size_t>(first)]));
  }
  // Empty when the ids are 0 .. N-1 in order. The index is of no use any more.
  std::vector<std::string> take_names() {
    for (size_t v = 0; v < ids_.size(); ++v) {
      if (ids_[v] != std::to_string(v)) return std::move(ids_);
    }
    return {};
  }

 private:
  const fs::path& file_;
  std::vector<std::string> ids_;
  std::vector<int64_t> lines_;
};

void require_several_classes(const ImportOptions& options,
                             const LabelReader::Labels& labels) {
  if (labels.num_classes != 1) return;
  const std::string name =
      labels.class_names.empty() ? "0" : labels.class_names.front();
  fail_in(options.nodes,
          fmt::format("all labelled nodes have the label '{}' in column '{}'; "
                      "there is nothing to tell apart",
                      name, options.label));
}

void set_labels(const ImportOptions& options, const LabelReader& reader,
                RawDataset& raw) {
  raw.labels = at::full({raw.num_nodes}, -1, at::kLong);
  if (options.label.empty()) {
    raw.provenance.notes.emplace_back(
        "no node has a label; --label names their column");
    return;
  }
  LabelReader::Labels labels =
      reader.finish(options.nodes, {}, raw.provenance.notes);
  require_several_classes(options, labels);
  std::copy(labels.by_row.begin(), labels.by_row.end(),
            raw.labels.data_ptr<int64_t>());
  raw.num_classes = labels.num_classes;
  raw.class_names = std::move(labels.class_names);
}

void decide_direction(const ImportOptions& options, RawDataset& raw) {
  const double share =
      reciprocal_share(Graph::from_edges(raw.num_nodes, raw.edges));
  const std::string seen =
      std::isnan(share)
          ? "there is none between two nodes"
          : fmt::format("{:.3g} % of the edges have their reverse",
                        100 * share);
  const bool few = !(share >= kFewReverses);
  raw.edges_are_undirected = options.undirected.value_or(few);
  std::string note = fmt::format(
      "edges are read as {}",
      raw.edges_are_undirected ? "undirected, going both ways" : "directed");
  if (!options.undirected) {
    note += fmt::format(", for {}; --{} says otherwise", seen,
                        few ? "directed" : "undirected");
  } else {
    note += fmt::format(", as asked for; {}", seen);
  }
  raw.provenance.notes.push_back(note);
}

// @param edges  of the same file as the nodes; null: options.edges is read.
RawDataset import_text(const ImportOptions& options, const DelimitedText& text,
                       const DelimitedText* edges) {
  RawDataset raw;
  raw.name = options.name.empty()
                 ? fs::path(name_from_path(options.nodes)).stem().string()
                 : options.name;
  raw.provenance.format = "tables";
  raw.provenance.files = {options.nodes.string()};
  if (edges == nullptr) raw.provenance.files.push_back(options.edges.string());
  raw.provenance.notes = text.notes();
  const size_t id =
      options.id.empty() ? 0 : text.require_column(options.id, "--id");
  if (options.id.empty()) {
    raw.provenance.notes.push_back(fmt::format(
        "nodes are named by the first column, '{}'", text.header()[0]));
  }
  IdReader ids(options.nodes);
  LabelReader labels(options.unlabelled);
  TableRequest request;
  request.sinks[id] = &ids;
  if (!options.label.empty()) {
    request.sinks[text.require_column(options.label, "--label")] = &labels;
  }
  request.drop = options.drop;
  request.asked = options.asked;
  auto table =
      std::make_shared<Table>(read_table(text, request, raw.provenance.notes));
  raw.num_nodes = table->num_rows;
  if (raw.num_nodes == 0) {
    fail_in(options.nodes, "there are no rows after the header");
  }
  NameIndex index;
  ids.finish(index);
  set_labels(options, labels, raw);
  const EdgeRows rows =
      edges == nullptr
          ? read_edge_table(options.edges, index, options.edge_columns,
                            raw.provenance.notes)
          : read_edge_table(*edges, index, options.edge_columns,
                            raw.provenance.notes);
  raw.edges = rows.edges;
  raw.edge_weights = rows.weights;
  decide_direction(options, raw);
  raw.node_names = ids.take_names();
  raw.columns = fit_columns(*table);
  raw.table = std::move(table);
  raw.feature_names = feature_names(raw.columns);
  if (raw.feature_names.empty()) {
    fail_in(options.nodes,
            "no column of the table makes a feature; --column NAME=KIND says "
            "what a column is");
  }
  if (options.with_features) make_features(raw);
  validate(raw);
  return raw;
}

}  // namespace

void make_features(RawDataset& raw, const LoadOptions& options) {
  if (!options.columns.empty()) raw.columns = options.columns;
  raw.feature_names = feature_names(raw.columns);
  raw.features = features_from_dense(apply_columns(
      *raw.table, raw.columns, options.missing_columns, raw.provenance.notes));
}

RawDataset import_tables(const ImportOptions& options) {
  if (!is_graphml(options.nodes)) {
    return import_text(options, DelimitedText(options.nodes), nullptr);
  }
  GraphmlTables tables = read_graphml(options.nodes);
  ImportOptions known = options;
  if (known.id.empty()) known.id = "id";
  if (!known.undirected) known.undirected = tables.undirected;
  const DelimitedText nodes(options.nodes, std::move(tables.nodes));
  if (!options.edges.empty()) return import_text(known, nodes, nullptr);
  const DelimitedText edges(options.nodes, std::move(tables.edges));
  return import_text(known, nodes, &edges);
}

}  // namespace ordered_gnn::data
