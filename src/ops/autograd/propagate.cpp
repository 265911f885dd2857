#include "ordered_gnn/ops/propagate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "ops/autograd/node.h"
#include "ops/detail/saved_arguments.h"
#include "ops/detail/scaled_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::ScaledLists;

struct Propagate : torch::autograd::Function<Propagate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& start,
                            const ScaledLists& lists, double share,
                            int64_t hops) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, lists);
    ctx->saved_data["share"] = share;
    ctx->saved_data["hops"] = hops;
    at::Tensor z = start;
    for (int64_t k = 0; k < hops; ++k) {
      z = detail::propagation_step({lists, z, start, share});
    }
    return z;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto lists = detail::saved_arguments<ScaledLists>(ctx);
    const at::Tensor none;
    return {
        apply(grads[0], lists.transposed(), ctx->saved_data["share"].toDouble(),
              ctx->saved_data["hops"].toInt()),
        none, none, none};
  }
};

ScaledLists lists_of(const Graph& graph, double share) {
  detail::require_whole_graph("propagate", graph);
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  return detail::scaled_lists(graph.in(), graph.out(), root * (1 - share),
                              root);
}

}  // namespace
}  // namespace autograd

at::Tensor propagate(const Graph& graph, const at::Tensor& start,
                     const Propagation& how) {
  if (how.hops <= 0) return start;
  if (!how.fixed.defined() && !graph.weights().defined()) {
    return autograd::Propagate::apply(
        start, autograd::lists_of(graph, how.start_share), how.start_share,
        how.hops);
  }
  const at::Tensor restart = start * how.start_share;
  at::Tensor z = start;
  for (int64_t k = 0; k < how.hops; ++k) {
    z = gcn_aggregate(graph, z) * (1 - how.start_share) + restart;
    if (how.fixed.defined()) z = at::where(how.fixed, start, z);
  }
  return z;
}

}  // namespace ordered_gnn
