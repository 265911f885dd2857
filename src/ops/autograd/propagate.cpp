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

// A graph's lists with the scales of their rows and columns.
struct PropagationLists {
  at::Tensor rowptr, col, t_rowptr, t_col;
  at::Tensor row_scale, col_scale;

  PropagationLists transposed() const {
    return {t_rowptr, t_col, rowptr, col, col_scale, row_scale};
  }
};

struct Propagate : torch::autograd::Function<Propagate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& start,
                            const PropagationLists& lists, double share,
                            int64_t hops) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({lists.rowptr, lists.col, lists.t_rowptr,
                            lists.t_col, lists.row_scale, lists.col_scale});
    ctx->saved_data["share"] = share;
    ctx->saved_data["hops"] = hops;
    at::Tensor z = start;
    for (int64_t k = 0; k < hops; ++k) {
      z = detail::propagation_step(lists.rowptr, lists.col, lists.row_scale,
                                   lists.col_scale, z, start, share);
    }
    return z;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const PropagationLists lists = {saved[0], saved[1], saved[2],
                                    saved[3], saved[4], saved[5]};
    const at::Tensor none;
    return {
        apply(grads[0], lists.transposed(), ctx->saved_data["share"].toDouble(),
              ctx->saved_data["hops"].toInt()),
        none, none, none};
  }
};

PropagationLists lists_of(const Graph& graph, double share) {
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  return {graph.in().rowptr, graph.in().col,     graph.out().rowptr,
          graph.out().col,   root * (1 - share), root};
}

}  // namespace
}  // namespace autograd

at::Tensor propagate(const Graph& graph, const at::Tensor& start,
                     const Propagation& how) {
  if (how.hops <= 0) return start;
  if (!how.fixed.defined()) {
    return autograd::Propagate::apply(
        start, autograd::lists_of(graph, how.start_share), how.start_share,
        how.hops);
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
