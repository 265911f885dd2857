#include "nn/baselines/appnp.h"
#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/gat.h"
#include "nn/baselines/gcn.h"
#include "nn/baselines/gprgnn.h"
#include "nn/baselines/graphsage.h"
#include "nn/baselines/sgc.h"
#include "nn/entries/model_entry.h"
#include "nn/model_traits.h"
#include "nn/pass_memory.h"

// Layers of convolutions or attention, then one map of the features and what
// spreads over the graph before or after it.
namespace ordered_gnn::nn {
namespace {

ModelEntry gcn_entry() {
  ModelEntry entry = entry_of("gcn", "GCN: graph convolutions", kMakeGcn);
  entry.paper =
      "Semi-Supervised Classification with Graph Convolutional Networks, 2017";
  entry.reads = convolution_reads();
  entry.reach = &reach_of_layers;
  entry.defaults = {{"self-loops", "add"},  {"layers", 2},   {"hidden", 16},
                    {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 5e-4},
                    {"l2-xi", 0.0},         {"epochs", 200}, {"patience", 200}};
  entry.why_no_weights = &reads_weights;
  entry.why_no_parts = &takes_parts;
  return entry;
}

ModelEntry gat_entry() {
  ModelEntry entry =
      entry_of("gat", "GAT: attention over neighbours", kMakeGat);
  entry.paper = "Graph Attention Networks, 2018";
  entry.reads = {"layers",        "hidden",     "heads", "output-heads",
                 "dropout-theta", "dropout-xi", "l2-xi"};
  entry.reach = &reach_of_layers;
  entry.meanings = {{"dropout-theta", "inputs"}, {"dropout-xi", "attention"}};
  entry.defaults = {
      {"self-loops", "add"}, {"layers", 2},       {"hidden", 64},
      {"heads", 8},          {"output-heads", 1}, {"dropout-theta", 0.6},
      {"dropout-xi", 0.6},   {"lr", 0.005},       {"l2-theta", 5e-4},
      {"l2-xi", 5e-4},       {"patience", 100}};
  entry.training_rows = &trains_layers<2, 8, 6>;
  entry.check = &check_heads;
  return entry;
}

ModelEntry graphsage_entry() {
  ModelEntry entry = entry_of(
      "graphsage", "GraphSAGE: a node beside the mean of its neighbours",
      kMakeGraphsage);
  entry.paper = "Inductive Representation Learning on Large Graphs, 2017";
  entry.remarks =
      "Takes whole neighbourhoods, with `--batch neighbors` samples of them.";
  entry.reads = convolution_reads({"aggregator"});
  entry.reach = &reach_of_layers;
  entry.defaults = {
      {"self-loops", "remove"}, {"layers", 2}, {"hidden", 256},
      {"aggregator", "mean"},   {"lr", 0.01},  {"dropout-theta", 0.0},
      {"l2-theta", 0.0},        {"l2-xi", 0.0}};
  entry.prediction_rows = &predicts_in_rounds<8>;
  entry.training_rows = &trains_layers<2, 12>;
  entry.why_no_weights = &reads_weights_in_sums;
  entry.why_no_parts = &takes_parts_in_sums;
  return entry;
}

ModelEntry sgc_entry() {
  ModelEntry entry = entry_of(
      "sgc", "SGC: a linear classifier of propagated features", kMakeSgc);
  entry.paper = "Simplifying Graph Convolutional Networks, 2019";
  entry.reads = {"hops", "dropout-theta", "l2-theta"};
  entry.reach = &reach_of_hops;
  entry.meanings = {{"hops", kSteps}};
  entry.defaults = {{"self-loops", "add"},  {"hops", 2},
                    {"dropout-theta", 0.0}, {"lr", 0.2},
                    {"l2-theta", 5e-6},     {"l2-xi", 5e-6},
                    {"epochs", 100},        {"patience", 100}};
  entry.prediction_rows = &predicts_scores;
  entry.training_rows = &trains_linear;
  entry.why_no_weights = &reads_weights;
  return entry;
}

ModelEntry appnp_entry() {
  ModelEntry entry =
      entry_of("appnp", "APPNP: predictions spread by personalised PageRank",
               kMakeAppnp);
  entry.paper =
      "Predict then Propagate: Graph Neural Networks meet Personalized "
      "PageRank, 2019";
  entry.reads = {"hops",          "alpha",      "hidden",   "mlp-layers",
                 "dropout-theta", "dropout-xi", "l2-theta", "l2-xi"};
  entry.reach = &reach_of_hops;
  entry.meanings = {
      {"hops", kSteps}, {"alpha", "teleport"}, {"dropout-xi", "edges"}};
  entry.defaults = {
      {"self-loops", "add"}, {"hops", 10},     {"alpha", 0.1},
      {"mlp-layers", 1},     {"hidden", 64},   {"dropout-theta", 0.5},
      {"dropout-xi", 0.5},   {"lr", 0.01},     {"l2-theta", 0.005},
      {"l2-xi", 0.0},        {"patience", 100}};
  entry.training_rows = &trains_spread_scores;
  entry.why_no_weights = &reads_weights;
  return entry;
}

ModelEntry gprgnn_entry() {
  ModelEntry entry =
      entry_of("gprgnn", "GPR-GNN: predictions spread with learned hop weights",
               kMakeGprgnn);
  entry.paper =
      "Adaptive Universal Generalized PageRank Graph Neural Network, 2021";
  entry.reads = {"hops",       "alpha",      "hop-weights",
                 "hidden",     "mlp-layers", "dropout-theta",
                 "dropout-xi", "l2-theta",   "l2-xi"};
  entry.reach = &reach_of_hops;
  entry.meanings = {{"hops", kSteps},
                    {"alpha", "first hop weight"},
                    {"dropout-xi", "before propagation"}};
  entry.defaults = {
      {"self-loops", "add"},  {"hops", 10},        {"alpha", 0.1},
      {"hop-weights", "ppr"}, {"mlp-layers", 1},   {"hidden", 64},
      {"dropout-theta", 0.5}, {"dropout-xi", 0.5}, {"lr", 0.01},
      {"l2-theta", 5e-4},     {"l2-xi", 0.0},      {"epochs", 1000},
      {"patience", 200}};
  entry.training_rows = &trains_spread_scores;
  entry.why_no_weights = &reads_weights;
  return entry;
}

}  // namespace

std::vector<ModelEntry> simple_models() {
  return {gcn_entry(), gat_entry(),   graphsage_entry(),
          sgc_entry(), appnp_entry(), gprgnn_entry()};
}

}  // namespace ordered_gnn::nn
