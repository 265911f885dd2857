#include "ops/detail/edge_dot.h"

#include <torch/library.h>

#include "ops/autograd/node.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using detail::EdgeDotArguments;

// The gradient of either end is a sum over its edges of the other end, weighted
// with the gradients of the edges.
variable_list edge_dot_gradients(const EdgeDotArguments& kept,
                                 const at::Tensor& grad) {
  return {detail::weighted_aggregate({kept.lists, grad, kept.b}),
          detail::transposed_aggregate(kept.lists, grad, kept.a)};
}

using EdgeDot = OpNode<detail::edge_dot, Keeps::all, edge_dot_gradients,
                       &EdgeDotArguments::a, &EdgeDotArguments::b>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("edge_dot", detail::registered<EdgeDot::call>);
}

}  // namespace ordered_gnn::autograd
