#include "data/formats/csv/edges.h"

#include <string>
#include <vector>

#include "data/formats/csv/layout.h"
#include "data/formats/csv/table.h"
#include "data/formats/edge_list.h"

namespace ordered_gnn::data {
namespace {

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

void read_numbers(CsvTable& table, const NodeIds& nodes, EdgeList& edges) {
  std::string_view line;
  while (table.next(line)) {
    if (quick_edge(line, nodes.size(), edges)) continue;
    CsvFields fields(line, table.place(), table.num_columns());
    const int64_t from = nodes.require(fields.take(), table.place());
    const int64_t to = nodes.require(fields.take(), table.place());
    fields.finish();
    edges.add(from, to);
  }
}

void read_texts(CsvTable& table, const NodeIds& nodes, EdgeList& edges) {
  PendingEdges pending(nodes, edges);
  std::string_view line;
  while (table.next(line)) {
    CsvFields fields(line, table.place(), table.num_columns());
    pending.add_end(fields.take(), table.place().line);
    pending.add_end(fields.take(), table.place().line);
    fields.finish();
    if (pending.full()) pending.resolve(table.place().file);
  }
  pending.resolve(table.place().file);
}

}  // namespace

at::Tensor read_csv_edges(const std::filesystem::path& file,
                          const NodeIds& nodes) {
  CsvTable table(file, csv_layout::kEdgeHeader);
  table.require_header();
  EdgeList edges;
  if (nodes.are_numbers()) {
    read_numbers(table, nodes, edges);
  } else {
    read_texts(table, nodes, edges);
  }
  return edges.tensor();
}

}  // namespace ordered_gnn::data
