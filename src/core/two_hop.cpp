#include "core/two_hop.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/two_hop_rows.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

template <typename Index>
class RowLists {
 public:
  explicit RowLists(const Adjacency& in)
      : rowptr_(in.rowptr.data_ptr<int64_t>()),
        col_(in.col.data_ptr<Index>()),
        num_nodes_(in.rowptr.numel() - 1) {}

  int64_t num_nodes() const { return num_nodes_; }
  template <typename Call>
  void for_each(int64_t v, const Call& call) const {
    for (int64_t e = rowptr_[v]; e < rowptr_[v + 1]; ++e) call(col_[e]);
  }

 private:
  const int64_t* rowptr_;
  const Index* col_;
  int64_t num_nodes_;
};

template <typename Index>
Adjacency lists_of(const Adjacency& in) {
  const RowLists<Index> lists(in);
  TwoHopRows<RowLists<Index>> rows(lists);
  const int64_t num_nodes = lists.num_nodes();
  Adjacency out;
  out.rowptr = at::zeros({num_nodes + 1}, at::kLong);
  int64_t* const rowptr = out.rowptr.data_ptr<int64_t>();
  for (int64_t v = 0; v < num_nodes; ++v) {
    rowptr[v + 1] = rowptr[v];
    rows.visit(v, [&](Index) { ++rowptr[v + 1]; });
    if (rowptr[v + 1] > std::numeric_limits<int32_t>::max()) {
      fail(
          "the graph has more than {} pairs of nodes two hops apart, which is "
          "too many to list; use a model that does not read them",
          std::numeric_limits<int32_t>::max());
    }
  }
  out.col = at::empty({rowptr[num_nodes]}, in.col.options());
  Index* const col = out.col.template data_ptr<Index>();
  rows.forget();
  for (int64_t v = 0; v < num_nodes; ++v) {
    int64_t next = rowptr[v];
    rows.visit(v, [&](Index u) { col[next++] = u; });
    std::sort(col + rowptr[v], col + rowptr[v + 1]);
  }
  return out;
}

}  // namespace

Adjacency two_hop_lists(const Adjacency& in) {
  return in.col.scalar_type() == at::kInt ? lists_of<int32_t>(in)
                                          : lists_of<int64_t>(in);
}

}  // namespace ordered_gnn::core
