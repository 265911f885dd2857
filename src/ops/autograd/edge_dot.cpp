#include "ops/detail/edge_dot.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/detail/saved_arguments.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using detail::EdgeDotArguments;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The gradient of either end is a sum over its edges of the other end, weighted
// with the gradients of the edges.
struct EdgeDot : torch::autograd::Function<EdgeDot> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*a*/,
                            const at::Tensor& /*b*/,
                            const EdgeDotArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, arguments);
    return detail::edge_dot(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto saved = detail::saved_arguments<EdgeDotArguments>(ctx);
    return {detail::weighted_aggregate({saved.lists, grads[0], saved.b}),
            detail::transposed_aggregate(saved.lists, grads[0], saved.a),
            at::Tensor()};
  }
};

at::Tensor edge_dot(const EdgeDotArguments& arguments) {
  return EdgeDot::apply(arguments.a, arguments.b, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("edge_dot", detail::registered<edge_dot>);
}

}  // namespace ordered_gnn::autograd
