#include "ordered_gnn/ops/propagate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/scaled_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// One direction of adjacency with the scales of its rows and columns.
struct PropagationLists {
  at::Tensor rowptr, col, row_scale, col_scale;
};

at::Tensor run(const PropagationLists& lists, const at::Tensor& start,
               double share, int64_t hops) {
  at::Tensor z = start;
  for (int64_t k = 0; k < hops; ++k) {
    z = detail::propagation_step(lists.rowptr, lists.col, lists.row_scale,
                                 lists.col_scale, z, start, share);
  }
  return z;
}

struct Propagate : torch::autograd::Function<Propagate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& start,
                            const Graph& graph, double share, int64_t hops) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const at::Tensor root = graph.inverse_in_degree().sqrt();
    const at::Tensor shrunk = root * (1 - share);
    const Adjacency& in = graph.in();
    const Adjacency& out = graph.out();
    ctx->save_for_backward({out.rowptr, out.col, root, shrunk});
    ctx->saved_data["share"] = share;
    ctx->saved_data["hops"] = hops;
    return run({in.rowptr, in.col, shrunk, root}, start, share, hops);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor none;
    return {run({saved[0], saved[1], saved[2], saved[3]}, grads[0],
                ctx->saved_data["share"].toDouble(),
                ctx->saved_data["hops"].toInt()),
            none, none, none};
  }
};

}  // namespace
}  // namespace autograd

at::Tensor propagate(const Graph& graph, const at::Tensor& start,
                     const Propagation& how) {
  if (how.hops <= 0) return start;
  if (!how.fixed.defined()) {
    return autograd::Propagate::apply(start, graph, how.start_share, how.hops);
  }
  const at::Tensor restart = start * how.start_share;
  at::Tensor z = start;
  for (int64_t k = 0; k < how.hops; ++k) {
    z = gcn_aggregate(graph, z) * (1 - how.start_share) + restart;
    z = at::where(how.fixed, start, z);
  }
  return z;
}

}  // namespace ordered_gnn
