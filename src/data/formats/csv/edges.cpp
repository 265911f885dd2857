#include "data/formats/csv/edges.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "core/io/text/quick_number.h"
#include "core/names.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "data/formats/edge_list.h"
#include "data/formats/tensor_of.h"

namespace ordered_gnn::data {
namespace {

// What the lines of a file are added to, and who gets them.
struct ReadEdges {
  ReadEdges(const std::filesystem::path& file, int64_t most_edges,
            const OnCsvEdges& on_some)
      : place(file.string()), most(most_edges), on_edges(on_some) {}

  void hand_over() {
    on_edges({ends.tensor(), has_weights ? tensor_of(weights) : at::Tensor()});
    ends = EdgeList(place);
    weights.clear();
  }
  // To be called where no edge is half done.
  void hand_over_if_full() {
    if (ends.size() >= most) hand_over();
  }

  const std::string place;
  const int64_t most;
  const OnCsvEdges& on_edges;
  EdgeList ends{place};
  bool has_weights = false;
  std::vector<float> weights;
};

// The third field of a line.
float take_weight(CsvFields& fields, const SourceLine& place) {
  const std::string_view field = fields.take();
  const float weight = core::parse_float(field, "edge weight", place);
  if (weight < 0) {
    fail_at(place,
            fmt::format("expected an edge weight of 0 or more, got '{}'; leave "
                        "the edge out or give it another weight",
                        field));
  }
  return weight;
}

// Ends of edges whose ids are texts, looked up many at a time: one by one each
// would wait for memory twice, which takes longer than reading the line.
class PendingEdges {
 public:
  PendingEdges(const NodeIds& nodes, EdgeList& edges)
      : nodes_(nodes), edges_(edges) {
    ends_.reserve(kMaxEnds);
  }

  void add_end(std::string_view id, int64_t line) {
    const uint64_t hash = NameIndex::hash_of(id);
    nodes_.index().fetch_slot(hash);
    ends_.push_back({texts_.size(), id.size(), hash, line});
    texts_.append(id);
  }
  bool full() const { return ends_.size() >= kMaxEnds; }

  // Moves all edges to the list.
  void resolve(const std::filesystem::path& file) {
    for (const End& end : ends_) nodes_.index().fetch_name(end.hash);
    for (size_t i = 0; i + 1 < ends_.size(); i += 2) {
      const int64_t from = node_of(ends_[i], file);
      edges_.add(from, node_of(ends_[i + 1], file));
    }
    ends_.clear();
    texts_.clear();
  }

 private:
  struct End {
    size_t begin;
    size_t size;
    uint64_t hash;
    int64_t line;
  };
  static constexpr size_t kMaxEnds = 128;

  int64_t node_of(const End& end, const std::filesystem::path& file) const {
    const std::string_view id(texts_.data() + end.begin, end.size);
    const int64_t node = nodes_.index().find(id, end.hash);
    if (node < 0) nodes_.fail_unknown(id, {file, end.line});
    return node;
  }

  const NodeIds& nodes_;
  EdgeList& edges_;
  std::string texts_;
  std::vector<End> ends_;
};

void read_numbers(CsvTable& table, const NodeIds& nodes, ReadEdges& edges) {
  std::string_view line;
  while (table.next(line)) {
    float weight = 0;
    if (edges.has_weights
            ? quick_weighted_edge(line, nodes.size(), edges.ends, weight)
            : quick_edge(line, nodes.size(), edges.ends)) {
      if (edges.has_weights) edges.weights.push_back(weight);
      edges.hand_over_if_full();
      continue;
    }
    CsvFields fields(line, table.place(), table.num_columns());
    const int64_t from = nodes.require(fields.take(), table.place());
    const int64_t to = nodes.require(fields.take(), table.place());
    if (edges.has_weights) {
      edges.weights.push_back(take_weight(fields, table.place()));
    }
    fields.finish();
    edges.ends.add(from, to);
    edges.hand_over_if_full();
  }
}

void read_texts(CsvTable& table, const NodeIds& nodes, ReadEdges& edges) {
  PendingEdges pending(nodes, edges.ends);
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    pending.add_end(fields.take(), table.place().line);
    pending.add_end(fields.take(), table.place().line);
    if (edges.has_weights) {
      edges.weights.push_back(take_weight(fields, table.place()));
    }
    fields.finish();
    if (!pending.full()) continue;
    pending.resolve(table.place().file);
    edges.hand_over_if_full();
  }
  pending.resolve(table.place().file);
}

bool names_a_type(const std::string& column) {
  const std::string name = core::lower_case(column);
  const auto words = {"type",      "types",     "edge_type", "edgetype",
                      "relation",  "relations", "rel",       "rel_type",
                      "predicate", "etype"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

// Whether the header has a third column of weights.
bool has_weight_column(const CsvTable& table) {
  const std::vector<std::string>& header = table.header();
  const bool begins =
      header.size() >= 2 && header[0] == "source" && header[1] == "target";
  if (!begins) table.fail_header();
  for (size_t c = 2; c < header.size(); ++c) {
    if (c == 2 && header[c] == "weight") continue;
    const SourceLine place{table.place().file, 1};
    if (names_a_type(header[c])) {
      fail_at(place,
              fmt::format("column '{}': edges have no types here. Train on one "
                          "type at a time, with a folder for each and its "
                          "edges alone in edges.csv, or take the column out "
                          "to treat all types alike",
                          header[c]));
    }
    fail_at(place,
            fmt::format("column '{}' is not known; edges have the columns '{}' "
                        "and may have a third, 'weight'. Take the others out",
                        header[c], csv_layout::kEdgeHeader));
  }
  return header.size() == 3;
}

}  // namespace

void walk_csv_edges(const std::filesystem::path& file, const NodeIds& nodes,
                    int64_t most, const OnCsvEdges& on_edges) {
  CsvTable table(file, csv_layout::kEdgeHeader);
  ReadEdges edges(file, most, on_edges);
  edges.has_weights = has_weight_column(table);
  if (nodes.are_numbers()) {
    read_numbers(table, nodes, edges);
  } else {
    read_texts(table, nodes, edges);
  }
  edges.hand_over();
}

CsvEdges read_csv_edges(const std::filesystem::path& file,
                        const NodeIds& nodes) {
  CsvEdges all;
  walk_csv_edges(file, nodes, std::numeric_limits<int64_t>::max(),
                 [&](const CsvEdges& edges) { all = edges; });
  return all;
}

CsvEdgeCount count_csv_edges(const std::filesystem::path& file) {
  CsvTable table(file, csv_layout::kEdgeHeader);
  CsvEdgeCount count;
  count.has_weights = has_weight_column(table);
  std::string_view line;
  while (table.next(line)) ++count.edges;
  return count;
}

}  // namespace ordered_gnn::data
