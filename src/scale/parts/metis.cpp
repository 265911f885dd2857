#include <algorithm>
#include <limits>
#include <vector>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "scale/parts/assign.h"
#if ORDERED_GNN_HAS_METIS
#include <metis.h>
#endif

namespace ordered_gnn::scale {

#if ORDERED_GNN_HAS_METIS

namespace {

// The graph as METIS takes it: both ways, without loops, each neighbour once.
struct MetisGraph {
  std::vector<idx_t> rowptr, col;
};

template <typename Index>
MetisGraph symmetric_lists(const Adjacency& in, const Adjacency& out) {
  const int64_t nodes = in.rowptr.numel() - 1;
  const int64_t* const in_row = in.rowptr.data_ptr<int64_t>();
  const int64_t* const out_row = out.rowptr.data_ptr<int64_t>();
  const Index* const in_col = in.col.data_ptr<Index>();
  const Index* const out_col = out.col.data_ptr<Index>();
  MetisGraph graph;
  graph.rowptr.push_back(0);
  std::vector<Index> both;
  for (int64_t v = 0; v < nodes; ++v) {
    both.clear();
    std::set_union(in_col + in_row[v], in_col + in_row[v + 1],
                   out_col + out_row[v], out_col + out_row[v + 1],
                   std::back_inserter(both));
    for (const Index u : both) {
      if (u != v) graph.col.push_back(static_cast<idx_t>(u));
    }
    graph.rowptr.push_back(static_cast<idx_t>(graph.col.size()));
  }
  return graph;
}

// Two weights per node: its cost, and whether it is labelled.
std::vector<idx_t> weights_of(const NodeDataset& data, bool by_label) {
  const int64_t* const in = data.graph.in().rowptr.data_ptr<int64_t>();
  const int64_t* const label = data.labels.data_ptr<int64_t>();
  std::vector<idx_t> weights;
  for (int64_t v = 0; v < data.num_nodes(); ++v) {
    weights.push_back(static_cast<idx_t>(kRowCost + in[v + 1] - in[v]));
    if (by_label) weights.push_back(label[v] >= 0 ? 1 : 0);
  }
  return weights;
}

void require_room(const NodeDataset& data) {
  const int64_t entries = 2 * data.graph.num_edges();
  if (sizeof(idx_t) == 4 && entries >= std::numeric_limits<int32_t>::max()) {
    fail(
        "'{}' has up to {} entries, and this METIS counts to 2^31; use "
        "--method stream",
        data.name, entries);
  }
  constexpr int64_t kBytesPerEntry = 46;  // measured, of the whole call
  require_memory(kBytesPerEntry * data.graph.num_edges(), data.name,
                 "cutting it with METIS");
}

}  // namespace

bool has_metis() { return true; }

Assignment assign_by_metis(const NodeDataset& data, int64_t parts) {
  require_room(data);
  const Adjacency& in = data.graph.in();
  const Adjacency& out = data.graph.out();
  MetisGraph graph = in.col.scalar_type() == at::kInt
                         ? symmetric_lists<int32_t>(in, out)
                         : symmetric_lists<int64_t>(in, out);
  const int64_t labelled = data.labels.ge(0).sum().item<int64_t>();
  // With every node labelled the second weight would say nothing.
  const bool by_label = labelled >= parts && labelled < data.num_nodes();
  std::vector<idx_t> weights = weights_of(data, by_label);
  auto nodes = static_cast<idx_t>(data.num_nodes());
  idx_t constraints = by_label ? 2 : 1;
  auto wanted = static_cast<idx_t>(parts);
  std::vector<real_t> slack = {1.05F, 1.2F};
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  idx_t cut = 0;
  std::vector<idx_t> part(data.num_nodes(), 0);
  const int status = METIS_PartGraphKway(
      &nodes, &constraints, graph.rowptr.data(), graph.col.data(),
      weights.data(), /*vsize=*/nullptr, /*adjwgt=*/nullptr, &wanted,
      /*tpwgts=*/nullptr, slack.data(), options, &cut, part.data());
  if (status != METIS_OK) {
    fail("METIS could not cut '{}' into {} parts{}; use --method stream",
         data.name, parts,
         status == METIS_ERROR_MEMORY ? ": there is not enough memory" : "");
  }
  return Assignment(part.begin(), part.end());
}

#else

bool has_metis() { return false; }

Assignment assign_by_metis(const NodeDataset& /*data*/, int64_t /*parts*/) {
  throw UsageError(
      "this build has no METIS; use --method stream, or install libmetis-dev "
      "and build again");
}

#endif

}  // namespace ordered_gnn::scale
