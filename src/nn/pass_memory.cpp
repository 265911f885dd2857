#include "nn/pass_memory.h"

#include <algorithm>
#include <cmath>

#include "nn/execution_plan.h"

namespace ordered_gnn::nn {
namespace {

// Above this many neighbours on average a fused layer keeps their sums.
constexpr double kKeepsSumsFrom = 10;
// Runs of layers whose states --checkpoint-layers keeps at a time.
constexpr int64_t kRunOfLayers = 4;

double first_weight(const OrderedGnnOptions& network, const PassSize& size) {
  return static_cast<double>(network.hidden) *
         static_cast<double>(size.num_features);
}

double degree(const PassSize& size) {
  return static_cast<double>(size.num_edges) /
         static_cast<double>(std::max<int64_t>(size.num_nodes, 1));
}

// Numbers of the map that makes a candidate.
double candidate_weight(const OrderedGnnOptions& network) {
  const auto width = static_cast<double>(network.hidden);
  return network.transform == Transform::none ? 0 : 2 * width * width;
}

// Shares of chunks of rows in the gradients of a layer with a candidate, in
// matrices with a row per node.
double gradient_shares(const OrderedGnnOptions& network, const PassSize& size) {
  constexpr double kChunkRows = 1024, kMostChunks = 16;
  const double nodes = std::max(static_cast<double>(size.num_nodes), 1.0);
  const double chunks = std::min(std::ceil(nodes / kChunkRows), kMostChunks);
  return 1.5 * candidate_weight(network) * chunks /
         (nodes * static_cast<double>(network.hidden));
}

// Whether a fused layer keeps its sums over neighbours.
bool keeps_sums(const PassSize& size) {
  return !size.spares_sums && degree(size) > kKeepsSumsFrom;
}

// What training keeps of a layer: inputs, logits and gates of a fused one; of
// one op after the other also sums, blends and norms.
PassRows ordered_layer_rows(const OrderedGnnOptions& network,
                            const PassSize& size) {
  const double gate = network.gating == Gating::none
                          ? 0
                          : 1.0 / static_cast<double>(network.chunk);
  PassRows rows;
  if (!size.has_weights && has_fused_layers(network)) {
    rows.least = 1 + 2 * gate;
    rows.most = rows.least + 0.2 + (keeps_sums(size) ? 1 : 0);
    return rows;
  }
  if (!size.has_weights && has_candidate_layers(network)) {
    // Besides them the candidate before its norm, and most often the sums.
    rows.least = 2 + 2 * gate;
    rows.most = rows.least + 0.2 + (size.spares_sums ? 0 : 1);
    return rows;
  }
  rows.least = network.gating == Gating::none ? 1 : 3;
  rows.most = 7 + 4 * gate;
  rows.edge_values = is_scaled(network.aggregator) ? 0 : 8;
  // Halves of the state and of the messages, before they are joined.
  if (network.directions == Directions::split) rows.most += 4;
  // The candidate before its norm, and what norm and ReLU keep.
  if (network.transform != Transform::none) {
    rows.least += 1;
    rows.most += 6;
  }
  return rows;
}

// What a tower of node ids adds: rows that are parameters, and what is kept of
// dropout, sum, relu and norm on the way to the first state.
void add_node_ids(const OrderedGnnOptions& network, const PassSize& size,
                  PassRows& rows) {
  if (network.node_ids == NodeIds::none) return;
  rows.least += 2;
  rows.most += 8;
  rows.parameters +=
      static_cast<double>(network.hidden) * static_cast<double>(size.num_nodes);
}

// D, 2 D, 4 D, ... of a network whose states double with every layer.
double doubled_widths(const ModelOptions& options) {
  return std::pow(2.0, static_cast<double>(options.layers) + 1) - 1;
}

// Layers whose states are alive together.
double kept_layers(const OrderedGnnOptions& network, const PassSize& size) {
  int64_t layers = network.layers;
  if (!size.checkpoint_layers || has_batch_statistics(network)) {
    return static_cast<double>(layers);
  }
  // Of every level the first states of all runs, and the layers of one run.
  int64_t kept = 0;
  while (layers > kRunOfLayers) {
    int64_t run = kRunOfLayers;
    while (run * kRunOfLayers < layers) run *= kRunOfLayers;
    kept += (layers + run - 1) / run - 1;
    layers = run;
  }
  return static_cast<double>(kept + layers);
}

// Numbers that no function of a line sets: the first map of the features.
PassRows reading_features(const OrderedGnnOptions& network,
                          const PassSize& size, PassRows rows) {
  rows.parameters += first_weight(network, size);
  rows.drops_features = network.dropout_theta > 0;
  return rows;
}

}  // namespace

PassRows predicts_as_mlp(const ModelOptions& /*options*/,
                         const PassSize& /*size*/) {
  PassRows rows;
  rows.least = 1;
  rows.most = 2;
  return rows;
}

PassRows predicts_all_rounds(const ModelOptions& options,
                             const PassSize& /*size*/) {
  const auto rounds = static_cast<double>(options.layers);
  PassRows rows;
  rows.least = rounds / 2;
  rows.most = 3 * rounds + 6;
  rows.class_rows = 4;
  return rows;
}

PassRows predicts_doubling(const ModelOptions& options,
                           const PassSize& /*size*/) {
  PassRows rows;
  rows.least = 2 * doubled_widths(options);
  rows.most = 3 * doubled_widths(options) + 4;
  rows.class_rows = 4;
  return rows;
}

PassRows predicts_scores(const ModelOptions& options,
                         const PassSize& /*size*/) {
  PassRows rows;
  rows.most = 3;
  rows.class_rows = 6 + static_cast<double>(options.hops > 0 ? 2 : 0);
  return rows;
}

PassRows predicts_gated(const OrderedGnnOptions& network,
                        const PassSize& size) {
  const double gate = 1.0 / static_cast<double>(network.chunk);
  PassRows rows;
  rows.least = 2;
  rows.most = 2;
  // One op after the other holds m, the logits and two more states, and
  // attention a few numbers per edge.
  const bool fuses = !size.has_weights && (has_fused_layers(network) ||
                                           has_candidate_layers(network));
  if (!fuses) rows.most += 3 + gate;
  // The candidate before a norm over all nodes, and its logits; one op after
  // the other also holds what norm and ReLU make of it.
  if (network.transform != Transform::none) rows.most += fuses ? 1 + gate : 3;
  if (!is_scaled(network.aggregator)) rows.edge_values = 4;
  if (network.directions == Directions::split) rows.most += 2;
  if (network.node_ids != NodeIds::none) rows.most += 3;
  // The map of the features beside its sums.
  if (network.first_state == FirstState::heard) rows.most += 1;
  rows.most += size.keeps_gates ? static_cast<double>(network.layers + 1) * gate
                                : 2 * gate;
  return rows;
}

PassRows trains_ordered(const OrderedGnnOptions& network,
                        const PassSize& size) {
  const PassRows layer = ordered_layer_rows(network, size);
  const double layers = kept_layers(network, size);
  const auto inputs = static_cast<double>(network.mlp_layers);
  const bool recomputes = layers < static_cast<double>(network.layers);
  PassRows rows;
  // The input network keeps what is normed and what comes out; backward has
  // the gradient of a state.
  rows.least =
      2 * inputs + 1 +
      (recomputes ? static_cast<double>(kRunOfLayers) : layers * layer.least);
  rows.most =
      3 * inputs + layers * layer.most + 5 + gradient_shares(network, size);
  rows.edge_values = layers * layer.edge_values;
  if (network.layers > 0) add_node_ids(network, size, rows);
  // Map, sums and biased sums of the features, and what relu and norm keep.
  if (network.first_state == FirstState::heard) rows.most += 4;
  rows = reading_features(network, size, rows);
  rows.parameters +=
      static_cast<double>(network.layers) * candidate_weight(network);
  return rows;
}

PassRows trains_rounds(const ModelOptions& options, const PassSize& size,
                       const RoundRows& round) {
  const auto layers = static_cast<double>(options.layers);
  PassRows rows;
  rows.least = round.least * std::max(layers - 1, 0.0);
  rows.most = round.most * layers + 4;
  rows.edge_values =
      round.edge_values * layers * static_cast<double>(options.heads);
  rows.class_rows = round.most;
  return reading_features(options, size, rows);
}

PassRows trains_spread_scores(const ModelOptions& options,
                              const PassSize& size) {
  const auto layers = static_cast<double>(options.mlp_layers);
  const auto hops = static_cast<double>(options.hops);
  PassRows rows;
  rows.least = std::max(layers - 1, 0.0);
  rows.most = 4 * layers + 3;
  rows.class_rows = 4 * hops + 4;
  rows.edge_values = options.dropout_xi > 0 ? 2 * hops : 0;
  rows = reading_features(options, size, rows);
  if (options.mlp_layers > 1) return rows;
  rows.parameters = 0;
  return rows;
}

PassRows trains_jumping(const ModelOptions& options, const PassSize& size) {
  PassRows rows = trains_rounds(options, size, {1, 12, 0});
  // A bi-directional LSTM keeps four gates and two states of each layer, each
  // way.
  if (options.jumping == Jumping::lstm) {
    rows.most += 40 * static_cast<double>(options.layers);
  }
  return rows;
}

PassRows trains_linkx(const ModelOptions& options, const PassSize& size) {
  const auto layers =
      static_cast<double>(2 * options.layers + options.mlp_layers);
  PassRows rows;
  // The row of parameters that every node has, its gradient and two moments.
  rows.least = 4;
  rows.most = 5 * layers + 20;
  rows.class_rows = 6;
  rows = reading_features(options, size, rows);
  rows.drops_features = false;
  return rows;
}

PassRows trains_polynormer(const ModelOptions& options, const PassSize& size) {
  PassRows rows = trains_rounds(options, size, {4, 22, 6});
  rows.most += 24 * static_cast<double>(options.global_layers);
  return rows;
}

PassRows predicts_hop_maps(const ModelOptions& options,
                           const PassSize& /*size*/) {
  const auto maps = static_cast<double>(2 * options.hops + 1);
  PassRows rows;
  rows.least = maps;
  rows.most = 7 * maps;
  rows.class_rows = 4;
  return rows;
}

PassRows trains_hop_maps(const ModelOptions& options, const PassSize& size) {
  const auto maps = static_cast<double>(2 * options.hops + 1);
  PassRows rows;
  rows.least = 2 * maps;
  rows.most = 14 * maps;
  rows.class_rows = 6;
  rows = reading_features(options, size, rows);
  rows.parameters *= maps;
  rows.drops_features = false;
  return rows;
}

PassRows trains_doubling(const ModelOptions& options, const PassSize& size) {
  const double widths = doubled_widths(options);
  PassRows rows;
  rows.least = 2 * widths;
  rows.most = 10 * widths + 2;
  return reading_features(options, size, rows);
}

PassRows trains_branches(const ModelOptions& options, const PassSize& size) {
  const auto layers = static_cast<double>(options.layers);
  PassRows rows;
  rows.least = layers / 2;
  rows.most = 3 * layers * layers + 8;
  return reading_features(options, size, rows);
}

PassRows trains_linear(const ModelOptions& options, const PassSize& size) {
  PassRows rows;
  rows.class_rows = 6;
  rows = reading_features(options, size, rows);
  rows.parameters = static_cast<double>(size.num_features) *
                    static_cast<double>(size.num_classes);
  return rows;
}

PassRows trains_without_features(const ModelOptions& /*options*/,
                                 const PassSize& /*size*/) {
  PassRows rows;
  // Those of the nodes among them.
  rows.class_rows = 16;
  return rows;
}

}  // namespace ordered_gnn::nn
