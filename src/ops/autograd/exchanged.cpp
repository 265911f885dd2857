// Forward fetches the rows that a part's lists name, works on the part's own
// rows and drops what was fetched; backward fetches the gradients of m and sums
// them in the order of the part's out-lists, as one process would.
#include "ops/detail/exchanged.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <torch/custom_class.h>

#include "ops/autograd/gated_layer.h"
#include "ops/detail/scaled_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using core::RowExchange;
using detail::optional;
using detail::ScaledLists;
using Exchange = std::shared_ptr<RowExchange>;

struct HeldExchange : torch::CustomClassHolder {
  explicit HeldExchange(Exchange held) : exchange(std::move(held)) {}
  const Exchange exchange;
};

void hold(AutogradContext* ctx, const Exchange& exchange) {
  ctx->saved_data["exchange"] =
      c10::IValue::make_capsule(c10::make_intrusive<HeldExchange>(exchange));
}

Exchange held(AutogradContext* ctx) {
  const auto capsule = ctx->saved_data["exchange"].toCapsule();
  return static_cast<HeldExchange*>(capsule.get())->exchange;
}

// grad_h plus what the receivers of the part's rows hand back.
at::Tensor with_returned(const ScaledLists& lists, const Exchange& exchange,
                         const at::Tensor& grad_m, const at::Tensor& grad_h) {
  const at::Tensor all = exchange->fetch(grad_m, RowExchange::Side::out);
  return detail::propagation_step(
      {lists.transposed(), all, grad_h, /*share=*/1.0});
}

// What backward of a layer reads, without m where that is made again.
template <typename Kept>
Kept without_spared(Kept kept, const Exchange& exchange) {
  if (!exchange->keeps_sums()) kept.m = detail::optional<at::Tensor>();
  return kept;
}

// Makes m again where it was not kept: the same rows in the same order, so the
// same bits.
template <typename Arguments>
void restore_sums(Arguments& arguments, const Exchange& exchange) {
  if (exchange->keeps_sums()) return;
  arguments.kept.m = detail::scaled_aggregate(
      {arguments.lists,
       exchange->fetch(arguments.kept.h, RowExchange::Side::in)});
}

struct ExchangedSum : torch::autograd::Function<ExchangedSum> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& h,
                            const ScaledLists& lists,
                            const Exchange& exchange) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    detail::save_arguments(ctx, lists);
    hold(ctx, exchange);
    return detail::scaled_aggregate(
        {lists, exchange->fetch(h, RowExchange::Side::in)});
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto lists = detail::saved_arguments<ScaledLists>(ctx);
    const at::Tensor all = held(ctx)->fetch(grads[0], RowExchange::Side::out);
    return {detail::scaled_aggregate({lists.transposed(), all}), at::Tensor(),
            at::Tensor()};
  }
};

// The node `Node` of `op`, a layer over a part; the gradients of its own rows
// are those of `undo_rows`.
template <typename Node, auto op, auto undo_rows>
struct ExchangedGated : torch::autograd::Function<Node> {
  using Arguments = typename detail::KernelOfStruct<decltype(op)>::Taken;
  using Outputs = typename detail::KernelOfStruct<decltype(op)>::Given;
  using Saved = typename detail::KernelOfStruct<decltype(undo_rows)>::Taken;

  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& /*h*/,
                               const optional<at::Tensor>& /*prev_gate*/,
                               at::TensorList /*parameters*/,
                               const Arguments& arguments,
                               const Exchange& exchange) {
    const Outputs results = passing_by(arguments, exchange);
    save_layer(
        ctx, arguments,
        without_spared(detail::kept_of(arguments.layer, results), exchange));
    hold(ctx, exchange);
    return {std::get<0>(results), std::get<1>(results)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto arguments = layer_backward_arguments<Saved>(ctx, grads);
    restore_sums(arguments, held(ctx));
    variable_list gradients = tensors_of(undo_rows(arguments));
    arguments.kept = {};  // not to be held while it waits
    gradients[0] =
        with_returned(arguments.lists, held(ctx), gradients[1], gradients[0]);
    gradients.erase(gradients.begin() + 1);  // of m
    return handed_back(gradients, 2);
  }

  static Outputs call(Arguments arguments, const Exchange& exchange) {
    arguments.keep = at::GradMode::is_enabled();
    if (!arguments.keep) return passing_by(arguments, exchange);
    const auto& layer = arguments.layer;
    const variable_list parameters = learned_by(layer);
    return outputs_of_node<Outputs>(Node::apply(layer.h, layer.prev_gate,
                                                at::TensorList(parameters),
                                                arguments, exchange));
  }

 private:
  // The layer over the rows that were there and those that are fetched.
  static Outputs passing_by(Arguments arguments, const Exchange& exchange) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor& h = arguments.layer.h;
    h = exchange->fetch(h, RowExchange::Side::in);
    return op(arguments);
  }
};

struct ExchangedLayer : ExchangedGated<ExchangedLayer, &detail::ordered_layer,
                                       &detail::ordered_layer_rows_backward> {};
struct ExchangedCandidate
    : ExchangedGated<ExchangedCandidate, &detail::candidate_layer,
                     &detail::candidate_layer_rows_backward> {};

}  // namespace
}  // namespace ordered_gnn::autograd

namespace ordered_gnn::detail {

at::Tensor exchanged_aggregate(const Graph& part, const at::Tensor& row_scale,
                               const at::Tensor& col_scale,
                               const at::Tensor& h) {
  return autograd::ExchangedSum::apply(
      h, scaled_lists(part.in(), part.out(), row_scale, col_scale),
      part.exchange());
}

OrderedLayerOutputs exchanged_layer(
    const OrderedLayerArguments& arguments,
    const std::shared_ptr<core::RowExchange>& exchange) {
  return autograd::ExchangedLayer::call(arguments, exchange);
}

CandidateLayerOutputs exchanged_layer(
    const CandidateLayerArguments& arguments,
    const std::shared_ptr<core::RowExchange>& exchange) {
  return autograd::ExchangedCandidate::call(arguments, exchange);
}

}  // namespace ordered_gnn::detail
