#include "ops/receive_rows.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/receive_rows.h"
#include "ops/detail/scaled_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn {
namespace autograd {
namespace {

using detail::optional;
using detail::when_defined;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Autograd takes no undefined tensors, which a scale may be, but any struct.
struct ReceiveLists {
  const ReceiverLists& lists;
  const at::Tensor& row_scale;
  const at::Tensor& col_scale;
};

struct ReceiveRows : torch::autograd::Function<ReceiveRows> {
  static variable_list forward(AutogradContext* ctx, const at::Tensor& h,
                               const optional<at::Tensor>& prev_gate,
                               const ReceiveLists& given) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const ReceiverLists& lists = given.lists;
    auto [own, m, prev] =
        detail::receive_rows(lists.nodes, lists.in.rowptr, lists.in.col,
                             when_defined(given.row_scale),
                             when_defined(given.col_scale), h, prev_gate);
    ctx->save_for_backward({lists.nodes, lists.place, lists.out.rowptr,
                            lists.out.col, given.row_scale, given.col_scale});
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
    const variable_list saved = ctx->get_saved_variables();
    variable_list result(3);  // the lists have no gradient
    at::Tensor given;
    for (const at::Tensor& grad : grads) {
      if (grad.defined()) given = grad;
    }
    if (!given.defined()) return result;
    const int64_t width = ctx->saved_data["width"].toInt();
    const auto or_zeros = [&](const at::Tensor& grad) {
      return grad.defined()
                 ? grad
                 : at::zeros({saved[0].numel(), width}, given.options());
    };
    std::tie(result[0], result[1]) = detail::receive_rows_backward(
        saved[0], saved[1], saved[2], saved[3], when_defined(saved[4]),
        when_defined(saved[5]), or_zeros(grads[0]), or_zeros(grads[1]),
        when_defined(grads.size() > 2 ? grads[2] : at::Tensor()));
    return result;
  }
};

}  // namespace
}  // namespace autograd

ReceivedRows receive_rows(const Graph& graph, const ReceiverLists& lists,
                          const at::Tensor& row_scale,
                          const at::Tensor& col_scale, const at::Tensor& h,
                          const at::Tensor& prev_gate) {
  if (!h.is_cuda()) {
    const auto rows = [&](const at::Tensor& all) {
      return all.defined() ? all.index_select(0, lists.nodes) : at::Tensor();
    };
    return {rows(h), rows(scaled_aggregate(graph, row_scale, col_scale, h)),
            rows(prev_gate)};
  }
  detail::check_scaled_aggregate(graph.in().rowptr, graph.in().col,
                                 detail::when_defined(row_scale),
                                 detail::when_defined(col_scale), h);
  const auto results = autograd::ReceiveRows::apply(
      h, detail::when_defined(prev_gate),
      autograd::ReceiveLists{lists, row_scale, col_scale});
  return {results[0], results[1],
          results.size() > 2 ? results[2] : at::Tensor()};
}

}  // namespace ordered_gnn
