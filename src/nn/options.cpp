#include "ordered_gnn/nn/options.h"

#include <fmt/format.h>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kAggregatorNames = {"mean", "gcn", "sum",
                                                   "max",  "gat", "signed"};
const std::vector<std::string> kNormNames = {"layer", "batch", "none"};
const std::vector<std::string> kTransformNames = {"none", "linear"};
const std::vector<std::string> kDirectionsNames = {"joint", "split"};
const std::vector<std::string> kFirstStateNames = {"own", "heard"};
const std::vector<std::string> kNodeIdsNames = {"none", "id", "adjacency"};

}  // namespace

std::string to_string(Aggregator aggregator) {
  return kAggregatorNames[static_cast<size_t>(aggregator)];
}
Aggregator parse_aggregator(const std::string& name) {
  return core::parse_enum<Aggregator>("aggregator", name, kAggregatorNames);
}
std::string to_string(Norm norm) {
  return kNormNames[static_cast<size_t>(norm)];
}
Norm parse_norm(const std::string& name) {
  return core::parse_enum<Norm>("norm", name, kNormNames);
}
std::string to_string(Transform transform) {
  return kTransformNames[static_cast<size_t>(transform)];
}
Transform parse_transform(const std::string& name) {
  return core::parse_enum<Transform>("transform", name, kTransformNames);
}
std::string to_string(Directions directions) {
  return kDirectionsNames[static_cast<size_t>(directions)];
}
Directions parse_directions(const std::string& name) {
  return core::parse_enum<Directions>("directions", name, kDirectionsNames);
}
std::string to_string(FirstState first) {
  return kFirstStateNames[static_cast<size_t>(first)];
}
FirstState parse_first_state(const std::string& name) {
  return core::parse_enum<FirstState>("first state", name, kFirstStateNames);
}
std::string to_string(NodeIds node_ids) {
  return kNodeIdsNames[static_cast<size_t>(node_ids)];
}
NodeIds parse_node_ids(const std::string& name) {
  return core::parse_enum<NodeIds>("node ids", name, kNodeIdsNames);
}

const std::vector<Option<OrderedGnnOptions>>& ordered_gnn_option_table() {
  using O = OrderedGnnOptions;
  const char* const kGroup = "Model";
  static const std::vector<Option<O>> table = {
      in_range(option<O>(
                   "layers", kGroup, [](O & o) -> auto& { return o.layers; },
                   "message-passing layers K"),
               1, 10000),
      in_range(option<O>(
                   "hidden", kGroup, [](O & o) -> auto& { return o.hidden; },
                   "width D of the node embedding"),
               1, 1 << 20),
      in_range(option<O>(
                   "chunk", kGroup, [](O & o) -> auto& { return o.chunk; },
                   "neurons C that share one gate; must divide hidden"),
               1, 1 << 20),
      in_range(
          option<O>(
              "mlp-layers", kGroup, [](O & o) -> auto& { return o.mlp_layers; },
              "layers of the input network f_theta"),
          1, 1000),
      enum_option<O>(
          "first-state", kGroup, [](O & o) -> auto& { return o.first_state; },
          parse_first_state, kFirstStateNames,
          "what layers start from: the node's own features, or those of its "
          "neighbours without its own"),
      enum_option<O>(
          "node-ids", kGroup, [](O & o) -> auto& { return o.node_ids; },
          parse_node_ids, kNodeIdsNames,
          "what is learned per node beside the features: nothing, a row for "
          "every node, or one that its receivers add up"),
      enum_option<O>(
          "gating", kGroup, [](O & o) -> auto& { return o.gating; },
          parse_gating, {"none", "simple", "ordered", "softor"},
          "combine stage, from a bare GNN to the full model"),
      enum_option<O>(
          "aggregator", kGroup, [](O & o) -> auto& { return o.aggregator; },
          parse_aggregator, kAggregatorNames, "how neighbours are summarised"),
      enum_option<O>(
          "directions", kGroup, [](O & o) -> auto& { return o.directions; },
          parse_directions, kDirectionsNames,
          "whose messages are heard: those along the edges by all neurons, or "
          "along them by one half and against them by the other, each half "
          "with gates of its own"),
      enum_option<O>(
          "transform", kGroup, [](O & o) -> auto& { return o.transform; },
          parse_transform, kTransformNames,
          "what a layer writes: the neighbours' summary as it is, or a linear "
          "map of it and of the node with a ReLU"),
      enum_option<O>(
          "candidate-norm", kGroup,
          [](O & o) -> auto& { return o.candidate_norm; }, parse_norm,
          kNormNames, "normalisation inside the transform, ahead of its ReLU"),
      option<O>(
          "tied-gates", kGroup, [](O & o) -> auto& { return o.tied_gates; },
          "use one gate network for all layers"),
      enum_option<O>(
          "norm", kGroup, [](O & o) -> auto& { return o.norm; }, parse_norm,
          kNormNames, "normalisation after every message-passing layer"),
      option<O>(
          "residual", kGroup, [](O & o) -> auto& { return o.residual; },
          "add a layer's input to its output"),
      in_range(option<O>(
                   "dropout-theta", kGroup,
                   [](O & o) -> auto& { return o.dropout_theta; },
                   "dropout before input and output layers"),
               0, 0.999),
      in_range(
          option<O>(
              "dropout-xi", kGroup, [](O & o) -> auto& { return o.dropout_xi; },
              "dropout before every message-passing layer"),
          0, 0.999),
  };
  return table;
}

bool is_scaled(Aggregator aggregator) {
  return aggregator == Aggregator::mean || aggregator == Aggregator::gcn ||
         aggregator == Aggregator::sum;
}

int64_t gate_orders(const OrderedGnnOptions& options) {
  return options.directions == Directions::split ? 2 : 1;
}

namespace {

void check_gates(const OrderedGnnOptions& options) {
  if (options.hidden % options.chunk != 0) {
    throw UsageError(fmt::format(
        "hidden {} is not divisible by chunk {}: every gate must own the same "
        "number of neurons; choose a chunk that divides the width",
        options.hidden, options.chunk));
  }
  if (options.hidden / options.chunk % gate_orders(options) != 0) {
    throw UsageError(fmt::format(
        "--directions split needs an even number of gates, half of them for "
        "each direction, but hidden {} has {} of chunk {}; choose a chunk that "
        "divides {}",
        options.hidden, options.hidden / options.chunk, options.chunk,
        options.hidden / 2));
  }
}

void check_directions(const OrderedGnnOptions& options) {
  if (options.directions == Directions::joint) return;
  if (options.hidden % 2 != 0) {
    throw UsageError(fmt::format(
        "--directions split gives half of the neurons to each direction, but "
        "hidden is {}; choose an even width",
        options.hidden));
  }
  if (!is_scaled(options.aggregator)) {
    throw UsageError(fmt::format(
        "--directions split has no --aggregator {}: it sums over the two kinds "
        "of neighbours; use mean, gcn or sum, or --directions joint",
        to_string(options.aggregator)));
  }
}

void check_first_state(const OrderedGnnOptions& options) {
  if (options.first_state == FirstState::own || is_scaled(options.aggregator)) {
    return;
  }
  throw UsageError(fmt::format(
      "--first-state heard has no --aggregator {}: it sums the features of the "
      "neighbours; use mean, gcn or sum, or --first-state own",
      to_string(options.aggregator)));
}

}  // namespace

void validate(const OrderedGnnOptions& options) {
  for (const auto& entry : ordered_gnn_option_table()) {
    check_option(entry.spec, entry.get(options));
  }
  check_directions(options);
  check_first_state(options);
  if (options.gating != Gating::none) check_gates(options);
}

}  // namespace ordered_gnn
