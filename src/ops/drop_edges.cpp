#include "ordered_gnn/ops/drop_edges.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "ops/detail/weighted_aggregate.h"
#include "ordered_gnn/ops/dropout.h"

namespace ordered_gnn {
namespace {

// Which entries of a list stay, and how many do before each, [E + 1].
struct Kept {
  at::Tensor mask;
  at::Tensor before;

  explicit Kept(at::Tensor entries) : mask(std::move(entries)) {
    const at::Tensor counts = mask.cumsum(0);
    before = at::cat({at::zeros({1}, counts.options()), counts});
  }

  at::Tensor places() const { return before.narrow(0, 0, mask.numel()); }

  // The values of the entries that stay, in order.
  at::Tensor select(const at::Tensor& values) const {
    if (values.is_cpu()) return values.masked_select(mask);
    // Fixed lengths: what is left out goes to a place behind the last.
    const int64_t size = values.numel();
    const at::Tensor place =
        at::where(mask, places(), at::full_like(places(), size));
    return at::zeros({size + 1}, values.options())
        .scatter(0, place, values)
        .narrow(0, 0, size);
  }
};

// [N] float64: the sum of the weights of every row, 1 where that is 0.
at::Tensor weighted_degrees(const detail::EdgeLists& lists,
                            const at::Tensor& weight) {
  const at::Tensor ones =
      at::ones({lists.rowptr.numel() - 1, 1}, weight.options());
  const at::Tensor sums =
      detail::weighted_aggregate({lists, weight, ones}).squeeze(1);
  return at::where(sums > 0, sums, at::ones_like(sums));
}

// Factors of the weights that are left, in a graph of these lists.
EdgeFactors factors_of(const detail::EdgeLists& lists,
                       const at::Tensor& weight) {
  const at::Tensor exact = weight.to(at::kDouble);
  const at::Tensor degree = weighted_degrees(lists, exact);
  const at::Tensor root = degree.sqrt();
  const at::Tensor receiver =
      detail::receivers(lists.rowptr, lists.col.numel());
  const at::Tensor mean = exact / degree.index_select(0, receiver);
  const at::Tensor symmetric =
      exact / root.index_select(0, receiver) / root.index_select(0, lists.col);
  return {weight, mean.to(at::kFloat), symmetric.to(at::kFloat)};
}

}  // namespace

Graph drop_edges(const Graph& graph, double p, const DropoutKey& key) {
  if (p == 0) return graph;
  const at::NoGradGuard no_grad;
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  const at::Tensor& edge_of_out = graph.edge_of_out();
  const at::Tensor ones =
      at::ones({graph.num_edges()}, in.rowptr.options().dtype(at::kFloat));
  const at::Tensor loops =
      detail::receivers(in.rowptr, graph.num_edges()).eq(in.col);
  const Kept kept(dropout(ones, p, key).ne(0).logical_or(loops));
  const Kept kept_out(kept.mask.index_select(0, edge_of_out));
  const auto thinned = [](const Kept& entries, const Adjacency& list) {
    return Adjacency{entries.before.index_select(0, list.rowptr),
                     entries.select(list.col)};
  };
  const auto two_hop = [graph, p, key] {
    return drop_edges(graph.two_hop(), p, {key.seed, key.step, key.site + 1});
  };
  const Adjacency left = thinned(kept, in);
  const Adjacency left_out = thinned(kept_out, out);
  const at::Tensor left_edge_of_out =
      kept_out.select(kept.places().index_select(0, edge_of_out));
  EdgeFactors factors;
  if (graph.weights().defined()) {
    factors = factors_of({left.rowptr, left.col, left_out.rowptr, left_out.col,
                          left_edge_of_out},
                         kept.select(graph.weights()));
  }
  return Graph::from_lists(left, left_out, left_edge_of_out, two_hop,
                           std::move(factors));
}

}  // namespace ordered_gnn
