#include "nn/model_traits.h"

#include <fmt/format.h>

#include "nn/execution_plan.h"

namespace ordered_gnn::nn {

OrderedGnnOptions itself(const ModelOptions& options) { return options; }

OrderedGnnOptions without_layers(const ModelOptions& options) {
  OrderedGnnOptions network = options;
  network.layers = 0;
  return network;
}

std::string no_candidate_to_set(const ModelOptions& options,
                                const std::string& option) {
  return option == "candidate-norm" && options.transform == Transform::none
             ? "with --transform none there is no candidate for {}"
             : "";
}

std::string no_gates_to_set(const ModelOptions& options,
                            const std::string& option) {
  const bool is_of_gates = option == "chunk" || option == "tied-gates";
  return is_of_gates && options.gating == Gating::none
             ? "with --gating none there are no gates for {}"
             : no_candidate_to_set(options, option);
}

std::string no_aggregator_to_set(const ModelOptions& options,
                                 const std::string& option) {
  return option == "aggregator" && options.convolution == ConvolutionKind::gcn
             ? "jknet reads {} with --convolution sage only"
             : "";
}

bool always_per_node(const ModelOptions& /*options*/) { return true; }

bool learns_node_ids(const ModelOptions& options) {
  return options.node_ids != NodeIds::none;
}

std::string takes_bf16(const ModelOptions& /*options*/) { return ""; }

std::string reads_weights(const ModelOptions& /*options*/) { return ""; }

std::string reads_weights_in_layers(const ModelOptions& options) {
  return options.directions == Directions::split
             ? "reads no edge weights with --directions split; it does with "
               "joint"
             : reads_weights_in_sums(options);
}

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

std::string tuned_gnn_reads_weights(const ModelOptions& options) {
  return options.convolution == ConvolutionKind::gat
             ? "reads no edge weights with --convolution gat; gcn and sage do"
             : jknet_reads_weights(options);
}

std::string takes_parts(const ModelOptions& /*options*/) { return ""; }

std::string takes_parts_in_sums(const ModelOptions& options) {
  if (is_scaled(options.aggregator)) return "";
  return fmt::format(
      "does not run over parts of a graph with --aggregator {}; it does with "
      "mean, gcn and sum",
      to_string(options.aggregator));
}

std::string takes_parts_in_layers(const ModelOptions& options) {
  if (has_batch_statistics(options)) {
    return "does not run over parts of a graph with batch norms, whose "
           "statistics are of all nodes; it does with layer norms and none";
  }
  if (options.directions == Directions::split) {
    return "does not run over parts of a graph with --directions split; it "
           "does with joint";
  }
  if (options.node_ids != NodeIds::none) {
    return "does not run over parts of a graph with --node-ids, parameters of "
           "every node; it does with none";
  }
  if (options.first_state == FirstState::heard) {
    return "does not run over parts of a graph with --first-state heard; it "
           "does with own";
  }
  return takes_parts_in_sums(options);
}

ModelReach reach_of_mlp(const ModelOptions& /*options*/) { return {}; }

ModelReach reach_of_layers(const ModelOptions& options) {
  return {options.layers};
}

ModelReach reach_of_ordered_layers(const ModelOptions& options) {
  return {options.layers + (options.first_state == FirstState::heard ? 1 : 0)};
}

ModelReach reach_of_hops(const ModelOptions& options) { return {options.hops}; }

ModelReach reach_of_powers(const ModelOptions& options) {
  return {options.layers * options.hops};
}

ModelReach reach_of_two_hops(const ModelOptions& options) {
  return {2 * options.layers, /*reads_two_hop=*/true};
}

}  // namespace ordered_gnn::nn
