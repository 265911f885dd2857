#include "nn/model_traits.h"

#include <fmt/format.h>

#include "nn/execution_plan.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kFloatBytes = 4;

int64_t bytes_of_state(const OrderedGnnOptions& network,
                       const PredictionSize& size) {
  return kFloatBytes * size.num_nodes * network.hidden;
}

// Two states, logits and probabilities, labels.
int64_t bytes_of_any(const OrderedGnnOptions& network,
                     const PredictionSize& size) {
  const int64_t scores = kFloatBytes * size.num_nodes * size.num_classes;
  return 2 * bytes_of_state(network, size) + 2 * scores + 8 * size.num_nodes;
}

OrderedGnnOptions with_gating(Gating gating, OrderedGnnOptions network) {
  network.gating = gating;
  return network;
}

}  // namespace

OrderedGnnOptions itself(const ModelOptions& options) { return options; }

OrderedGnnOptions with_simple_gates(const ModelOptions& options) {
  return with_gating(Gating::simple, options);
}

OrderedGnnOptions without_gates(const ModelOptions& options) {
  return with_gating(Gating::none, options);
}

OrderedGnnOptions without_layers(const ModelOptions& options) {
  OrderedGnnOptions network = options;
  network.layers = 0;
  return network;
}

std::string no_gates_to_set(const ModelOptions& options,
                            const std::string& option) {
  const bool is_of_gates = option == "chunk" || option == "tied-gates";
  return is_of_gates && options.gating == Gating::none
             ? "with --gating none there are no gates for {}"
             : "";
}

std::string no_aggregator_to_set(const ModelOptions& options,
                                 const std::string& option) {
  return option == "aggregator" && options.convolution == ConvolutionKind::gcn
             ? "jknet reads {} with --convolution sage only"
             : "";
}

std::string takes_bf16(const ModelOptions& /*options*/) { return ""; }

std::string takes_bf16_fused(const ModelOptions& options) {
  return has_fused_layers(options)
             ? ""
             : "needs mean, gcn or sum aggregation, ordered or softor gating, "
               "layer norm and no residual";
}

std::string reads_weights(const ModelOptions& /*options*/) { return ""; }

std::string reads_weights_in_sums(const ModelOptions& options) {
  if (is_scaled(options.aggregator)) return "";
  return fmt::format(
      "reads no edge weights with --aggregator {}; mean, gcn and sum do",
      to_string(options.aggregator));
}

std::string jknet_reads_weights(const ModelOptions& options) {
  return options.convolution == ConvolutionKind::gcn
             ? ""
             : reads_weights_in_sums(options);
}

int64_t bytes_of_mlp(const ModelOptions& options, const PredictionSize& size) {
  return bytes_of_any(options, size);
}

int64_t bytes_of_rounds(const ModelOptions& options,
                        const PredictionSize& size) {
  return bytes_of_any(options, size) + 3 * bytes_of_state(options, size);
}

int64_t bytes_of_gated(const OrderedGnnOptions& network,
                       const PredictionSize& size) {
  const int64_t state = bytes_of_state(network, size);
  const int64_t gate = state / network.chunk;
  int64_t bytes = bytes_of_any(network, size);
  // One op after the other holds m, the logits and two more states, and
  // attention a few numbers per edge.
  if (size.has_weights || !has_fused_layers(network)) bytes += 3 * state + gate;
  if (!is_scaled(network.aggregator)) {
    bytes += 4 * kFloatBytes * size.num_edges;
  }
  bytes += size.keeps_gates ? (network.layers + 1) * gate : 2 * gate;
  return bytes + 4 * kFloatBytes * size.num_nodes;  // of the norms
}

ModelReach reach_of_mlp(const ModelOptions& /*options*/) { return {}; }

ModelReach reach_of_layers(const ModelOptions& options) {
  return {options.layers};
}

ModelReach reach_of_hops(const ModelOptions& options) { return {options.hops}; }

ModelReach reach_of_powers(const ModelOptions& options) {
  return {options.layers * options.hops};
}

ModelReach reach_of_two_hops(const ModelOptions& options) {
  return {2 * options.layers, /*reads_two_hop=*/true};
}

}  // namespace ordered_gnn::nn
