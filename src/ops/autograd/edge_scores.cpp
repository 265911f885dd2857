#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "ops/autograd/node.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn {
namespace autograd {
namespace {

struct EdgeScoresArguments {
  detail::EdgeLists lists;
  at::Tensor source, target;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.source, self.target);
  }
};

at::Tensor sums_of_ends(const EdgeScoresArguments& arguments) {
  const detail::EdgeLists& lists = arguments.lists;
  return arguments.source.index_select(0, lists.col) +
         arguments.target.index_select(
             0, detail::receivers(lists.rowptr, lists.col.numel()));
}

// index_select would add up its gradient in any order on a GPU; sums over the
// lists keep theirs.
variable_list edge_scores_gradients(const EdgeScoresArguments& kept,
                                    const at::Tensor& grad) {
  const detail::EdgeLists& lists = kept.lists;
  const bool has_heads = grad.dim() == 2;
  const at::Tensor ones = at::ones(
      {lists.rowptr.numel() - 1, has_heads ? grad.size(1) : 1}, grad.options());
  const at::Tensor of_target = detail::weighted_aggregate({lists, grad, ones});
  const at::Tensor of_source = detail::transposed_aggregate(lists, grad, ones);
  return {has_heads ? of_source : of_source.squeeze(1),
          has_heads ? of_target : of_target.squeeze(1)};
}

using EdgeScores =
    OpNode<sums_of_ends, Keeps::all_but_inputs, edge_scores_gradients,
           &EdgeScoresArguments::source, &EdgeScoresArguments::target>;

}  // namespace
}  // namespace autograd

at::Tensor detail::edge_scores(const EdgeLists& lists, const at::Tensor& source,
                               const at::Tensor& target) {
  return autograd::EdgeScores::call({lists, source, target});
}

}  // namespace ordered_gnn
