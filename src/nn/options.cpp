#include "ordered_gnn/nn/options.h"

#include <fmt/format.h>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kAggregatorNames = {"mean", "gcn", "sum",
                                                   "max",  "gat", "signed"};
const std::vector<std::string> kNormNames = {"layer", "batch", "none"};

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
          "gating", kGroup, [](O & o) -> auto& { return o.gating; },
          parse_gating, {"none", "simple", "ordered", "softor"},
          "combine stage, from a bare GNN to the full model"),
      enum_option<O>(
          "aggregator", kGroup, [](O & o) -> auto& { return o.aggregator; },
          parse_aggregator, kAggregatorNames, "how neighbours are summarised"),
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

void validate(const OrderedGnnOptions& options) {
  for (const auto& entry : ordered_gnn_option_table()) {
    check_option(entry.spec, entry.get(options));
  }
  const bool gated = options.gating != Gating::none;
  if (gated && options.hidden % options.chunk != 0) {
    throw UsageError(fmt::format(
        "hidden {} is not divisible by chunk {}: every gate must own the same "
        "number of neurons; choose a chunk that divides the width",
        options.hidden, options.chunk));
  }
}

}  // namespace ordered_gnn
