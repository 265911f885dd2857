#include "ordered_gnn/core/receiver_lists.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace ordered_gnn {
namespace {

// 0, then the sums up to every entry.
at::Tensor sums_before(const at::Tensor& counts) {
  const at::Tensor sums = counts.cumsum(0, at::kLong);
  return at::cat({at::zeros({1}, sums.options()), sums});
}

Adjacency lists_of(const Adjacency& all, const at::Tensor& nodes) {
  const at::Tensor begin = all.rowptr.index_select(0, nodes);
  const at::Tensor length = all.rowptr.index_select(0, nodes + 1) - begin;
  const at::Tensor rowptr = sums_before(length);
  const at::Tensor shift =
      at::repeat_interleave(begin - rowptr.narrow(0, 0, nodes.numel()), length);
  const at::Tensor entry = shift + at::arange(shift.numel(), shift.options());
  return {rowptr, all.col.index_select(0, entry)};
}

}  // namespace

ReceiverLists receiver_lists(const Graph& graph, const at::Tensor& nodes) {
  const at::NoGradGuard no_grad;
  ReceiverLists lists;
  lists.nodes = nodes.contiguous();
  const at::TensorOptions places = nodes.options().dtype(at::kInt);
  lists.place = at::full({graph.num_nodes()}, -1, places)
                    .index_copy(0, nodes, at::arange(nodes.numel(), places));
  lists.in = lists_of(graph.in(), nodes);
  const Adjacency& out = graph.out();
  const at::Tensor place = lists.place.index_select(0, out.col);
  const at::Tensor stays = place.ge(0);
  lists.out = {sums_before(stays).index_select(0, out.rowptr),
               place.masked_select(stays).to(out.col.scalar_type())};
  return lists;
}

}  // namespace ordered_gnn
