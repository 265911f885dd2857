#include "ordered_gnn/nn/ordered_gnn.h"

#include <ATen/Functions.h>

#include "core/told_exchange.h"
#include "nn/node_id_tower.h"
#include "nn/ordered_gnn_pass.h"
#include "ops/ordered_rows.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn {

at::Tensor OrderedGnn::forward(const Graph& graph, const NodeFeatures& features,
                               const ForwardContext& context,
                               ForwardTrace* trace) {
  const Pass pass = pass_over(graph, context, trace);
  const size_t count = layers_.size();
  State state = start(pass, features);
  trace_layer(trace, first_round(), state.h);
  switch (pass.plan.way()) {
    case nn::Way::composed:
    case nn::Way::fused:
      state = run_layers(pass, 0, count, std::move(state));
      break;
    case nn::Way::stacked:
      state = run_stacked(pass, count, state);
      break;
    case nn::Way::recomputed:
      state = run_recomputed(pass, 0, count, std::move(state));
      break;
    case nn::Way::receivers:  // of forward_receivers() alone
      TORCH_INTERNAL_ASSERT(false);
  }
  if (trace != nullptr) trace->embeddings = state.h;
  return logits_of(state.h, context);
}

at::Tensor OrderedGnn::forward_receivers(const Graph& graph,
                                         const NodeFeatures& features,
                                         const ForwardContext& context,
                                         const ReceiverLists& lists) {
  const Pass pass =
      pass_over(graph, context, /*trace=*/nullptr, /*for_receivers=*/true);
  const size_t last = layers_.size() - 1;
  ops::ReceivedRows rows;
  {
    // Gone when the last layer needs room.
    const State state = run_stacked(pass, last, start(pass, features));
    const bool reads_gate = options_.gating == Gating::softor;
    rows = ops::receive_rows(graph, lists,
                             {state.h, reads_gate ? state.gate : at::Tensor(),
                              pass.scales.row, pass.scales.col});
  }
  return logits_of(ops::ordered_rows(rows, lists, parameters_of(last),
                                     settings_of(pass, last)),
                   context);
}

namespace {

nn::PassConditions conditions_of(const ForwardContext& context,
                                 at::Device device) {
  nn::PassConditions conditions;
  conditions.fused = context.fused;
  conditions.checkpoint_layers = context.checkpoint_layers;
  conditions.on_gpu = device.is_cuda();
  conditions.records_gradients = at::GradMode::is_enabled();
  return conditions;
}

// A layer at a time, outside training.
nn::ExecutionPlan plan_of_pieces(const OrderedGnnOptions& options,
                                 at::Device device, bool weighted) {
  nn::PassConditions conditions;
  conditions.on_gpu = device.is_cuda();
  conditions.states_are_seen = true;
  conditions.weighted = weighted;
  return {options, conditions};
}

bool has_weights(const Graph& graph) { return graph.weights().defined(); }

}  // namespace

OrderedGnn::Pass OrderedGnn::pass_over(const Graph& graph,
                                       const ForwardContext& context,
                                       ForwardTrace* trace,
                                       bool for_receivers) const {
  nn::PassConditions conditions =
      conditions_of(context, output_->weight.device());
  conditions.weighted = has_weights(graph);
  conditions.states_are_seen = trace != nullptr;
  conditions.for_receivers = for_receivers;
  conditions.of_part = graph.exchange() != nullptr;
  return with_scales({graph, context, trace, {options_, conditions}, {}, {}});
}

OrderedGnn::Pass OrderedGnn::with_scales(Pass pass) const {
  if (pass.plan.fuses_layers()) {
    pass.scales = layers_.front()->aggregate->scales(pass.graph);
  }
  if (options_.directions == Directions::split) {
    pass.split = nn::SplitMessages(pass.graph, options_.aggregator);
  }
  return pass;
}

OrderedGnn::State OrderedGnn::start(const Pass& pass,
                                    const NodeFeatures& features) const {
  State state;
  state.h = first_sum(pass, features);
  return pass.plan.fuses_layers() ? state : with_gate(state);
}

at::Tensor OrderedGnn::first_sum(const Pass& pass,
                                 const NodeFeatures& features) const {
  const double p = pass.context.training ? options_.dropout_xi : 0.0;
  InputNetwork::Messages heard;
  if (options_.first_state == FirstState::heard) {
    heard = [&](const at::Tensor& z) { return messages(pass, 0, z); };
  }
  if (!node_ids_) return input_->forward(features, pass.context, p, heard);
  // Behind the sites of all layers.
  const int64_t site = input_->sites() + options_.layers + 1;
  const at::Tensor first =
      input_->forward(features, pass.context, /*dropout_after=*/0, heard);
  // Rows that are parameters are float, whatever others are stored in.
  const at::Tensor sum =
      (first + node_ids_->forward(pass.graph, pass.context, site))
          .to(first.scalar_type());
  return dropout(sum, p,
                 {pass.context.seed, pass.context.step, input_->sites()});
}

at::Tensor OrderedGnn::messages(const Pass& pass, size_t index,
                                const at::Tensor& h) const {
  return options_.directions == Directions::split
             ? pass.split.forward(h)
             : layers_[index]->aggregate->forward(pass.graph, h);
}

OrderedGnn::State OrderedGnn::with_gate(State state) const {
  if (state.gate.defined()) return state;
  state.gate = at::zeros({state.h.size(0), options_.hidden / options_.chunk},
                         state.h.options());
  return state;
}

namespace {

// Over parts, tells what is known of the rows that a layer fetches next.
void announce_rows(const Graph& graph, const ForwardContext& context,
                   const core::RowKnowledge& known) {
  if (!context.training) return;
  auto* const exchange =
      dynamic_cast<core::ToldExchange*>(graph.exchange().get());
  if (exchange != nullptr) exchange->announce(known);
}

}  // namespace

OrderedGnn::State OrderedGnn::run_layers(const Pass& pass, size_t first,
                                         size_t last, State state) const {
  for (size_t k = first; k < last; ++k) {
    const int64_t site = input_->sites() + static_cast<int64_t>(k);
    announce_rows(pass.graph, pass.context,
                  {options_.dropout_xi,
                   {pass.context.seed, pass.context.step, site},
                   /*is_last=*/k + 1 == layers_.size(),
                   static_cast<int64_t>(k) + 1});
    state = pass.plan.fuses_layers() ? run_fused(pass, k, state)
                                     : run_composed(pass, k, state);
    if (pass.trace == nullptr) continue;
    const bool gated = options_.gating != Gating::none;
    trace_layer(pass.trace, first_round() + static_cast<int64_t>(k) + 1,
                state.h, gated ? state.gate : at::Tensor(),
                gate_orders(options_));
    if (gated && !pass.trace->on_layer) {
      pass.trace->gates.push_back(state.gate);
    }
  }
  return state;
}

OrderedGnn::State OrderedGnn::run_fused(const Pass& pass, size_t index,
                                        const State& state) const {
  const OrderedLayerInput input{state.h, state.gate, pass.scales.row,
                                pass.scales.col};
  OrderedGateResult result =
      options_.transform == Transform::none
          ? ordered_layer(pass.graph, input, parameters_of(index),
                          settings_of(pass, index))
          : candidate_layer(pass.graph, input,
                            candidate_parameters_of(pass, index, input.h),
                            {settings_of(pass, index), kBatchMomentum});
  return {std::move(result.h), std::move(result.gate)};
}

OrderedGnn::State OrderedGnn::run_composed(const Pass& pass, size_t index,
                                           const State& state) const {
  const Layer& layer = *layers_[index];
  const at::Tensor& h = state.h;
  const bool split = options_.directions == Directions::split;
  const at::Tensor m = messages(pass, index, h);
  const at::Tensor c = written(pass, layer, h, m);
  State next{c, state.gate};
  if (options_.gating != Gating::none) {
    const Affine& affine = gate_of(index);
    const at::Tensor logits = pair_linear(h, m, affine.weight, affine.bias);
    const auto gate = split ? &nn::split_gate : &ordered_gate;
    OrderedGateResult result = gate(options_.gating, logits, state.gate, h, c);
    next = {std::move(result.h), std::move(result.gate)};
  }
  next.h = layer.norm->forward(next.h, pass.context.training);
  if (options_.residual) next.h = next.h + h;
  next.h = dropout(next.h, dropout_after(pass, index), key_after(pass, index));
  return next;
}

at::Tensor OrderedGnn::written(const Pass& pass, const Layer& layer,
                               const at::Tensor& h, const at::Tensor& m) const {
  if (options_.transform == Transform::none) return m;
  const Affine& map = *layer.candidate;
  return layer.candidate_norm
      ->forward(pair_linear(m, h, map.weight, map.bias), pass.context.training)
      .relu();
}

at::Tensor OrderedGnn::logits_of(const at::Tensor& state,
                                 const ForwardContext& context) const {
  const at::Tensor logits = classify(state);
  return context.stored_logits ? logits
                               : logits.to(output_->weight.scalar_type());
}

at::Tensor OrderedGnn::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

bool OrderedGnn::has_receivers_pass(const ForwardContext& context,
                                    at::Device device) const {
  nn::PassConditions conditions = conditions_of(context, device);
  conditions.records_gradients = true;
  return nn::ExecutionPlan(options_, conditions).is_shorter_for_receivers();
}

bool OrderedGnn::needs_whole_graph() const {
  return node_ids_ != nullptr || hears_both_ways() || first_round() > 0;
}

int64_t OrderedGnn::first_round() const {
  return options_.first_state == FirstState::heard ? 1 : 0;
}

bool OrderedGnn::hears_both_ways() const {
  return options_.directions == Directions::split;
}

OrderedGnn::State OrderedGnn::first_state(const NodeFeatures& features) const {
  TORCH_CHECK(!needs_whole_graph(),
              "this network reads its graph as a whole, not piece by piece");
  const nn::ExecutionPlan plan =
      plan_of_pieces(options_, output_->weight.device(), /*weighted=*/false);
  return start({{}, {}, nullptr, plan, {}, {}}, features);
}

OrderedGnn::State OrderedGnn::next_state(const Graph& graph, int64_t layer,
                                         const State& state) const {
  TORCH_CHECK(layer >= 1 && layer <= options_.layers, "there is no layer ",
              layer, " among ", options_.layers);
  const auto last = static_cast<size_t>(layer);
  const nn::ExecutionPlan plan =
      plan_of_pieces(options_, output_->weight.device(), has_weights(graph));
  const Pass pass = with_scales({graph, {}, nullptr, plan, {}, {}});
  return run_layers(pass, last - 1, last,
                    pass.plan.fuses_layers() ? state : with_gate(state));
}

}  // namespace ordered_gnn
