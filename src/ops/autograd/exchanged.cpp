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
using detail::CandidateLayerArguments;
using detail::CandidateLayerBackwardArguments;
using detail::CandidateLayerOutputs;
using detail::optional;
using detail::OrderedLayerArguments;
using detail::OrderedLayerBackwardArguments;
using detail::OrderedLayerOutputs;
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

struct ExchangedLayer : torch::autograd::Function<ExchangedLayer> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& h,
                               const optional<at::Tensor>& /*prev_gate*/,
                               at::TensorList /*parameters*/,
                               const OrderedLayerArguments& arguments,
                               const Exchange& exchange) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    OrderedLayerArguments extended = arguments;
    extended.layer.h = exchange->fetch(h, RowExchange::Side::in);
    const OrderedLayerOutputs results = detail::ordered_layer(extended);
    save_layer(
        ctx, arguments,
        without_spared(detail::kept_of(arguments.layer, results), exchange));
    hold(ctx, exchange);
    return {std::get<0>(results), std::get<1>(results)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto arguments = layer_backward_arguments<OrderedLayerBackwardArguments>(
        "ordered_layer", ctx, grads);
    restore_sums(arguments, held(ctx));
    auto [h, m, prev_gate, weight, bias, norm_weight, norm_bias] =
        detail::ordered_layer_rows_backward(arguments);
    arguments.kept = {};  // not to be held while it waits
    h = with_returned(arguments.lists, held(ctx), m, h);
    return {h,           prev_gate, weight,       bias,
            norm_weight, norm_bias, at::Tensor(), at::Tensor()};
  }
};

struct ExchangedCandidate : torch::autograd::Function<ExchangedCandidate> {
  // The tensors are those in `arguments`, for their gradients.
  static variable_list forward(AutogradContext* ctx, const at::Tensor& h,
                               const optional<at::Tensor>& /*prev_gate*/,
                               at::TensorList /*parameters*/,
                               const CandidateLayerArguments& arguments,
                               const Exchange& exchange) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    CandidateLayerArguments extended = arguments;
    extended.layer.h = exchange->fetch(h, RowExchange::Side::in);
    const CandidateLayerOutputs results = detail::candidate_layer(extended);
    save_layer(
        ctx, arguments,
        without_spared(detail::kept_of(arguments.layer, results), exchange));
    hold(ctx, exchange);
    return {std::get<0>(results), std::get<1>(results)};
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto arguments = layer_backward_arguments<CandidateLayerBackwardArguments>(
        "candidate_layer", ctx, grads);
    restore_sums(arguments, held(ctx));
    auto [h, m, prev_gate, gate_weight, gate_bias, candidate_weight,
          candidate_bias, candidate_norm_weight, candidate_norm_bias,
          norm_weight, norm_bias] =
        detail::candidate_layer_rows_backward(arguments);
    arguments.kept = {};  // not to be held while it waits
    h = with_returned(arguments.lists, held(ctx), m, h);
    variable_list result = {h,         prev_gate,        gate_weight,
                            gate_bias, candidate_weight, candidate_bias};
    add_defined(result, {candidate_norm_weight, candidate_norm_bias,
                         norm_weight, norm_bias});
    result.emplace_back();  // of the arguments
    result.emplace_back();  // of the exchange
    return result;
  }
};

// Without a gradient to come a layer fetches its rows and keeps nothing.
template <typename Arguments, typename Layer>
auto passing_by(Arguments arguments, const Exchange& exchange,
                const Layer& layer) {
  at::AutoDispatchBelowADInplaceOrView below_autograd;
  arguments.layer.h = exchange->fetch(arguments.layer.h, RowExchange::Side::in);
  return layer(arguments);
}

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
    const OrderedLayerArguments& given,
    const std::shared_ptr<core::RowExchange>& exchange) {
  OrderedLayerArguments arguments = given;
  arguments.keep = at::GradMode::is_enabled();
  if (!arguments.keep) {
    return autograd::passing_by(
        arguments, exchange,
        [](const OrderedLayerArguments& all) { return ordered_layer(all); });
  }
  const autograd::variable_list parameters =
      autograd::learned_by(arguments.layer);
  const auto results = autograd::ExchangedLayer::apply(
      arguments.layer.h, arguments.layer.prev_gate, at::TensorList(parameters),
      arguments, exchange);
  return {results[0], results[1], {}, {}, {}, {}};
}

CandidateLayerOutputs exchanged_layer(
    const CandidateLayerArguments& given,
    const std::shared_ptr<core::RowExchange>& exchange) {
  CandidateLayerArguments arguments = given;
  arguments.keep = at::GradMode::is_enabled();
  if (!arguments.keep) {
    return autograd::passing_by(arguments, exchange,
                                [](const CandidateLayerArguments& all) {
                                  return candidate_layer(all);
                                });
  }
  const CandidateArguments& layer = arguments.layer;
  const autograd::variable_list parameters = autograd::learned_by(layer);
  const auto results = autograd::ExchangedCandidate::apply(
      layer.h, layer.prev_gate, at::TensorList(parameters), arguments,
      exchange);
  return {results[0], results[1], {}, {}, {}, {}, {}};
}

}  // namespace ordered_gnn::detail
