#include "data/formats/csv/added_nodes.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/io/text/quick_number.h"
#include "core/names.h"
#include "data/added_nodes.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/nodes.h"
#include "data/formats/csv/table.h"
#include "data/formats/dense_rows.h"
#include "data/formats/edge_list.h"
#include "data/tables/table_reader.h"
#include "data/tables/treatment.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kIdColumn = -1;

// A text of a file and where it is.
struct Cell {
  std::string text;
  int64_t line = 0;
};

struct NodeTable {
  std::vector<Cell> ids;
  at::Tensor features;
};

size_t id_column(const CsvTable& table, const std::string& id) {
  if (id.empty()) return 0;
  const std::vector<std::string>& header = table.header();
  const auto found = std::find(header.begin(), header.end(), id);
  if (found == header.end()) {
    fail_at({table.place().file, 1},
            fmt::format("there is no column '{}' of names; the columns are {}",
                        id, core::listed(header)));
  }
  return static_cast<size_t>(found - header.begin());
}

// Columns of features that have no names are matched by their position.
std::vector<int64_t> features_in_order(const CsvTable& table, size_t id,
                                       int64_t width) {
  if (table.num_columns() != width + 1) {
    fail_at({table.place().file, 1},
            fmt::format("expected a column of names and {} of features, as "
                        "many as the dataset has, got {} columns",
                        width, table.num_columns()));
  }
  std::vector<int64_t> features;
  int64_t next = 0;
  for (size_t c = 0; c < table.header().size(); ++c) {
    features.push_back(c == id ? kIdColumn : next++);
  }
  return features;
}

// For every column of the table the feature that it holds.
std::vector<int64_t> features_by_name(const CsvTable& table, size_t id,
                                      const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, int64_t> missing;
  for (size_t i = 0; i < names.size(); ++i) {
    missing.emplace(names[i], static_cast<int64_t>(i));
  }
  std::vector<int64_t> features;
  std::vector<std::string> unknown;
  for (size_t c = 0; c < table.header().size(); ++c) {
    const auto found = missing.find(table.header()[c]);
    if (c == id) {
      features.push_back(kIdColumn);
    } else if (found == missing.end()) {
      unknown.push_back("'" + table.header()[c] + "'");
    } else {
      features.push_back(found->second);
      missing.erase(found);
    }
  }
  const SourceLine header{table.place().file, 1};
  if (!unknown.empty()) {
    fail_at(header, fmt::format("the dataset has no column {}, or the file has "
                                "it twice; leave it out",
                                core::listed(unknown)));
  }
  if (!missing.empty()) {
    std::vector<std::string> left;
    for (const std::string& name : names) {
      if (missing.count(name) > 0) left.push_back("'" + name + "'");
    }
    fail_at(header, fmt::format("there is no column {}, which the dataset has",
                                core::listed(left)));
  }
  return features;
}

class CellList : public CellSink {
 public:
  explicit CellList(const fs::path& file) : file_(file) {}
  void add(std::string_view cell, int64_t line) override {
    if (cell.empty()) fail_at({file_, line}, "the name is empty");
    cells.push_back({std::string(cell), line});
  }
  std::vector<Cell> cells;

 private:
  const fs::path& file_;
};

// Rows of a table with the columns that the dataset was made of.
NodeTable read_new_rows(const fs::path& file, const NodeDataset& data,
                        const std::string& id) {
  const DelimitedText text(file);
  CellList ids(file);
  TableRequest request;
  const size_t id_at = id.empty() ? 0 : text.require_column(id, "--id");
  request.sinks[id_at] = &ids;
  for (const Column& column : data.columns) {
    const auto& header = text.header();
    if (std::find(header.begin(), header.end(), column.name) != header.end()) {
      request.asked[column.name] = {column.kind, std::nullopt};
    }
  }
  std::vector<std::string> notes;
  const Table table = read_table(text, request, notes);
  if (table.num_rows == 0) fail_in(file, "there are no rows after the header");
  NodeTable out;
  out.ids = std::move(ids.cells);
  try {
    out.features =
        apply_columns(table, data.columns, MissingColumns::error, notes);
  } catch (const Error& error) {
    fail_in(file, error.what());
  }
  return out;
}

NodeTable read_new_nodes(const fs::path& file, const NodeDataset& data,
                         const std::string& id) {
  require_features_of_nodes(data);
  if (!data.columns.empty()) return read_new_rows(file, data, id);
  CsvTable table(file, csv_layout::kFeatureHeader);
  const size_t id_at = id_column(table, id);
  const std::vector<int64_t> features =
      data.feature_names.empty()
          ? features_in_order(table, id_at, data.features.num_features())
          : features_by_name(table, id_at, data.feature_names);
  DenseRows rows(data.features.num_features(), 0, file.string());
  NodeTable out;
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    float* const row = rows.append();
    for (size_t c = 0; c < features.size(); ++c) {
      const std::string_view cell = fields.take();
      if (features[c] == kIdColumn) {
        if (cell.empty()) fail_at(table.place(), "the name is empty");
        out.ids.push_back({std::string(cell), table.place().line});
        continue;
      }
      row[features[c]] = core::parse_float(
          cell, fmt::format("column '{}'", table.header()[c]), table.place());
    }
    fields.finish();
  }
  if (out.ids.empty()) fail_in(file, "there are no rows after the header");
  out.features = rows.values();
  return out;
}

// Both ends of an edge after each other.
std::vector<Cell> read_ends(const fs::path& file) {
  CsvTable table(file, csv_layout::kEdgeHeader);
  table.require_header();
  std::vector<Cell> ends;
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    for (int end = 0; end < 2; ++end) {
      ends.push_back({std::string(fields.take()), table.place().line});
    }
    fields.finish();
  }
  if (ends.empty()) fail_in(file, "there are no edges after the header");
  return ends;
}

// Numbers of old nodes by name, found in one walk over the names of the
// dataset: those that are asked for are few.
class OldNodes {
 public:
  static constexpr int64_t kNone = -1, kSeveral = -2;

  explicit OldNodes(const NodeDataset& data) : data_(data) {}

  void ask_for(const std::vector<Cell>& cells) {
    for (const Cell& cell : cells) asked_.emplace(cell.text, kNone);
  }
  void look_up() {
    for (size_t v = 0; v < data_.node_names.size(); ++v) {
      const auto found = asked_.find(data_.node_names[v]);
      if (found == asked_.end()) continue;
      found->second =
          found->second == kNone ? static_cast<int64_t>(v) : kSeveral;
    }
  }
  int64_t find(const std::string& name) const {
    if (!data_.node_names.empty()) return asked_.at(name);
    const std::optional<int64_t> number = plain_number(name);
    return number && *number < data_.num_nodes() ? *number : kNone;
  }

 private:
  const NodeDataset& data_;
  std::unordered_map<std::string_view, int64_t> asked_;
};

using NewNodes = std::unordered_map<std::string_view, size_t>;  // by name

NewNodes new_nodes(const std::vector<Cell>& ids, const OldNodes& old,
                   const fs::path& file) {
  NewNodes out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const SourceLine place{file, ids[i].line};
    if (old.find(ids[i].text) != OldNodes::kNone) {
      fail_at(place, fmt::format("node '{}' is in the graph already; leave it "
                                 "out, or give the new node another name",
                                 ids[i].text));
    }
    const auto [first, is_new] = out.emplace(ids[i].text, i);
    if (is_new) continue;
    fail_at(place, fmt::format("node '{}' was already given in line {}",
                               ids[i].text, ids[first->second].line));
  }
  return out;
}

int64_t node_of(const Cell& end, const NewNodes& added, const OldNodes& old,
                const NodeDataset& data, const AddedFiles& files) {
  const auto found = added.find(end.text);
  if (found != added.end()) {
    return data.num_nodes() + static_cast<int64_t>(found->second);
  }
  const int64_t node = old.find(end.text);
  if (node >= 0) return node;
  const SourceLine place{files.edges, end.line};
  if (node == OldNodes::kSeveral) {
    fail_at(place, fmt::format("dataset '{}' has several nodes '{}'", data.name,
                               end.text));
  }
  fail_at(place, fmt::format("node '{}' is neither in dataset '{}' nor {}",
                             end.text, data.name,
                             files.nodes.empty()
                                 ? "new; nodes are added by a table of them"
                                 : "in " + files.nodes.filename().string()));
}

// Numbers that follow those of the dataset need no names.
std::vector<std::string> names_of(const std::vector<Cell>& ids,
                                  const NodeDataset& data) {
  std::vector<std::string> names;
  bool are_next = data.node_names.empty();
  for (size_t i = 0; i < ids.size(); ++i) {
    names.push_back(ids[i].text);
    are_next = are_next &&
               ids[i].text ==
                   std::to_string(data.num_nodes() + static_cast<int64_t>(i));
  }
  if (are_next) names.clear();
  return names;
}

}  // namespace

AddedNodes read_added_nodes(const NodeDataset& data, const AddedFiles& files) {
  NodeTable table;
  if (!files.nodes.empty()) table = read_new_nodes(files.nodes, data, files.id);
  std::vector<Cell> ends;
  if (!files.edges.empty()) ends = read_ends(files.edges);
  OldNodes old(data);
  old.ask_for(table.ids);
  old.ask_for(ends);
  old.look_up();
  const NewNodes added = new_nodes(table.ids, old, files.nodes);
  EdgeList edges;
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    const int64_t from = node_of(ends[i], added, old, data, files);
    edges.add(from, node_of(ends[i + 1], added, old, data, files));
  }
  AddedNodes out;
  out.names = names_of(table.ids, data);
  out.features = table.features;
  out.edges = edges.tensor();
  return out;
}

}  // namespace ordered_gnn::data
