#include "ops/receive_rows.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "ops/autograd/node.h"
#include "ops/detail/receive_rows.h"
#include "ops/detail/saved_arguments.h"
#include "ops/detail/scaled_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using detail::ReceiveRowsArguments;
using detail::ReceiveRowsBackwardArguments;
using detail::when_defined;

struct ReceiveRows : torch::autograd::Function<ReceiveRows> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& h,
                               const optional<at::Tensor>& /*prev_gate*/,
                               const at::Tensor& place,
                               const ReceiveRowsArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    auto [own, m, prev] = detail::receive_rows(arguments);
    ReceiveRowsBackwardArguments kept;
    kept.nodes = arguments.nodes;
    kept.place = place;
    kept.lists = arguments.lists;
    detail::save_arguments(ctx, kept);
    ctx->saved_data["width"] = h.size(1);
    // No zeros for a gate that is not used further.
    ctx->set_materialize_grads(false);
    variable_list results = {own, m};
    if (prev.defined()) results.push_back(prev);
    return results;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "receive_rows has no second gradients");
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    variable_list result(4);  // place and the rest have no gradient
    at::Tensor given;
    for (const at::Tensor& grad : grads) {
      if (grad.defined()) given = grad;
    }
    if (!given.defined()) return result;
    auto saved = detail::saved_arguments<ReceiveRowsBackwardArguments>(ctx);
    const int64_t width = ctx->saved_data["width"].toInt();
    const auto or_zeros = [&](const at::Tensor& grad) {
      return grad.defined()
                 ? grad
                 : at::zeros({saved.nodes.numel(), width}, given.options());
    };
    saved.grad_own = or_zeros(grads[0]);
    saved.grad_m = or_zeros(grads[1]);
    if (grads.size() > 2) saved.grad_prev = when_defined(grads[2]);
    std::tie(result[0], result[1]) = detail::receive_rows_backward(saved);
    return result;
  }
};

}  // namespace
}  // namespace ordered_gnn::autograd

namespace ordered_gnn::ops {

ReceivedRows receive_rows(const Graph& graph, const ReceiverLists& lists,
                          const OrderedLayerInput& input) {
  if (!input.h.is_cuda()) {
    const auto rows = [&](const at::Tensor& all) {
      return all.defined() ? all.index_select(0, lists.nodes) : at::Tensor();
    };
    return {rows(input.h),
            rows(scaled_aggregate(graph, input.row_scale, input.col_scale,
                                  input.h)),
            rows(input.prev_gate)};
  }
  const auto lists_with_scales = [&](const Adjacency& in,
                                     const Adjacency& out) {
    return detail::scaled_lists(in, out, input.row_scale, input.col_scale);
  };
  detail::check_scaled_aggregate(lists_with_scales(graph.in(), graph.in()),
                                 input.h);
  const detail::ReceiveRowsArguments arguments = {
      lists.nodes, lists_with_scales(lists.in, lists.out), input.h,
      detail::when_defined(input.prev_gate)};
  const auto results = autograd::ReceiveRows::apply(
      input.h, arguments.prev_gate, lists.place, arguments);
  return {results[0], results[1],
          results.size() > 2 ? results[2] : at::Tensor()};
}

}  // namespace ordered_gnn::ops
