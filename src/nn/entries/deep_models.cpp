#include "nn/baselines/gcnii.h"
#include "nn/baselines/geom_gcn.h"
#include "nn/baselines/ggcn.h"
#include "nn/baselines/h2gcn.h"
#include "nn/baselines/incepgcn.h"
#include "nn/baselines/jknet.h"
#include "nn/baselines/mixhop.h"
#include "nn/baselines/resgcn.h"
#include "nn/baselines/tuned_gnn.h"
#include "nn/entries/model_entry.h"
#include "nn/model_traits.h"
#include "nn/pass_memory.h"

// Deep networks, and those that keep several states of a node apart.
namespace ordered_gnn::nn {
namespace {

ModelEntry gcnii_entry() {
  ModelEntry entry = entry_of(
      "gcnii", "GCNII: deep GCN with initial residual and identity mapping",
      kMakeGcnii);
  entry.paper = "Simple and Deep Graph Convolutional Networks, 2020";
  entry.reads = convolution_reads({"alpha", "lambda", "dropout-xi"});
  entry.reach = &reach_of_layers;
  entry.meanings = {{"alpha", "initial residual"},
                    {"lambda", "identity mapping"},
                    {"dropout-theta", "dense layers"},
                    {"dropout-xi", "convolutions"}};
  entry.defaults = {
      {"self-loops", "add"}, {"layers", 64},   {"hidden", 64},
      {"alpha", 0.1},        {"lambda", 0.5},  {"dropout-theta", 0.6},
      {"dropout-xi", 0.6},   {"lr", 0.01},     {"l2-theta", 5e-4},
      {"l2-xi", 0.01},       {"epochs", 1500}, {"patience", 100}};
  entry.prediction_rows = &predicts_in_rounds<10>;
  entry.training_rows = &trains_layers<2, 12>;
  entry.why_no_weights = &reads_weights;
  return entry;
}

ModelEntry gcnii_star_entry() {
  ModelEntry entry = gcnii_entry();
  entry.name = "gcnii_star";
  entry.summary = "GCNII*: GCNII with weights of its own for the residual";
  entry.make = kMakeGcniiStar;
  return entry;
}

ModelEntry jknet_entry() {
  ModelEntry entry =
      entry_of("jknet", "JK-Net: GCN that classifies the states of all layers",
               kMakeJknet);
  entry.paper =
      "Representation Learning on Graphs with Jumping Knowledge Networks, 2018";
  entry.reads = convolution_reads({"jumping", "convolution", "aggregator"});
  entry.reach = &reach_of_layers;
  entry.meanings = {{"aggregator", "with --convolution sage"}};
  entry.defaults = {{"self-loops", "add"},  {"layers", 6},
                    {"hidden", 16},         {"jumping", "concat"},
                    {"dropout-theta", 0.5}, {"lr", 0.005},
                    {"l2-theta", 5e-4},     {"l2-xi", 5e-4}};
  entry.check = &check_jknet;
  entry.prediction_rows = &predicts_all_rounds;
  entry.training_rows = &trains_jumping;
  entry.why_no_weights = &jknet_reads_weights;
  entry.why_unread = &no_aggregator_to_set;
  return entry;
}

ModelEntry mixhop_entry() {
  ModelEntry entry = entry_of(
      "mixhop", "MixHop: powers of the adjacency side by side", kMakeMixhop);
  entry.paper =
      "MixHop: Higher-Order Graph Convolutional Architectures via Sparsified "
      "Neighborhood Mixing, 2019";
  entry.remarks = "Shares its width equally between the powers.";
  entry.reads = convolution_reads({"hops", "norm", "dropout-xi"});
  entry.reach = &reach_of_powers;
  entry.meanings = {{"hops", "highest power of the adjacency"},
                    {"dropout-theta", "input"}};
  entry.defaults = {{"self-loops", "add"}, {"layers", 2},
                    {"hops", 2},           {"hidden", 60},
                    {"norm", "batch"},     {"dropout-theta", 0.5},
                    {"dropout-xi", 0.9},   {"lr", 0.01},
                    {"l2-theta", 0.005},   {"l2-xi", 0.005}};
  entry.training_rows = &trains_layers<1, 10>;
  entry.why_no_weights = &reads_weights;
  entry.check = &check_mixhop;
  return entry;
}

ModelEntry h2gcn_entry() {
  ModelEntry entry = entry_of(
      "h2gcn", "H2GCN: ego, neighbours and two-hop neighbours kept apart",
      kMakeH2gcn);
  entry.paper =
      "Beyond Homophily in Graph Neural Networks: Current Limitations and "
      "Effective Designs, 2020";
  entry.reads = {"layers", "hidden", "dropout-theta", "l2-theta"};
  entry.reach = &reach_of_two_hops;
  entry.meanings = {{"layers", "rounds, 1 or 2 in the paper"}};
  entry.defaults = {
      {"self-loops", "remove"}, {"layers", 2},   {"hidden", 64},
      {"dropout-theta", 0.5},   {"lr", 0.01},    {"l2-theta", 5e-4},
      {"l2-xi", 5e-4},          {"epochs", 500}, {"patience", 500}};
  entry.prediction_rows = &predicts_doubling;
  entry.training_rows = &trains_doubling;
  entry.check = &check_h2gcn;
  return entry;
}

ModelEntry geom_gcn_entry() {
  ModelEntry entry =
      entry_of("geom_gcn",
               "Geom-GCN: neighbours told apart by where they are in a plane",
               kMakeGeomGcn);
  entry.paper = "Geom-GCN: Geometric Graph Convolutional Networks, 2020";
  entry.remarks =
      "Lays the graph out in the plane first, by hop distances (`isomap`; "
      "above 512 nodes from 512 landmarks) or by eigenvectors of the random "
      "walk (`spectral`), once for all splits of a call. With `--layout-cache "
      "DIR` the layout, and who is close to whom there, is read from a file "
      "`ognn-latent-*.safetensors` in that folder, or written there for the "
      "next call; without it nothing is written.";
  entry.reads = {"layers",        "hidden", "embedding",
                 "dropout-theta", "l2-xi",  "layout-cache"};
  entry.defaults = {{"self-loops", "add"}, {"layers", 2},
                    {"hidden", 48},        {"embedding", "isomap"},
                    {"lr", 0.05},          {"dropout-theta", 0.5},
                    {"l2-theta", 5e-6},    {"l2-xi", 5e-6},
                    {"epochs", 500},       {"patience", 100}};
  entry.prediction_rows = &predicts_in_rounds<24>;
  entry.training_rows = &trains_layers<1, 24, 4>;
  return entry;
}

ModelEntry ggcn_entry() {
  ModelEntry entry = entry_of(
      "ggcn", "GGCN: signed messages, corrected for degrees", kMakeGgcn);
  entry.paper =
      "Two Sides of the Same Coin: Heterophily and Oversmoothing in Graph "
      "Convolutional Neural Networks, 2022";
  entry.reads = convolution_reads({"lambda", "exponent"});
  entry.reach = &reach_of_layers;
  entry.meanings = {{"lambda", "decay"}};
  entry.defaults = {
      {"self-loops", "add"}, {"layers", 32},      {"hidden", 16},
      {"lambda", 0.9},       {"exponent", 3.0},   {"dropout-theta", 0.5},
      {"lr", 0.01},          {"l2-theta", 0.001}, {"l2-xi", 0.001},
      {"epochs", 1500},      {"patience", 100}};
  entry.prediction_rows = &predicts_in_rounds<10>;
  entry.training_rows = &trains_layers<2, 16, 2>;
  entry.check = &check_ggcn;
  return entry;
}

ModelEntry incepgcn_entry() {
  ModelEntry entry =
      entry_of("incepgcn", "IncepGCN: GCN branches of every depth side by side",
               kMakeIncepgcn);
  entry.paper =
      "DropEdge: Towards Deep Graph Convolutional Networks on Node "
      "Classification, 2020";
  entry.reads = convolution_reads();
  entry.reach = &reach_of_layers;
  entry.defaults = {
      {"self-loops", "add"},  {"layers", 8},   {"hidden", 128},
      {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 0.001},
      {"l2-xi", 0.001},       {"epochs", 400}, {"patience", 400}};
  entry.prediction_rows = &predicts_all_rounds;
  entry.training_rows = &trains_branches;
  entry.why_no_weights = &reads_weights;
  entry.check = &check_incepgcn;
  return entry;
}

ModelEntry resgcn_entry() {
  ModelEntry entry =
      entry_of("resgcn", "ResGCN: GCN with residual connections", kMakeResgcn);
  entry.paper =
      "DeepGCNs: Can GCNs Go as Deep as CNNs?, 2019, in the form of DropEdge";
  entry.reads = convolution_reads();
  entry.reach = &reach_of_layers;
  entry.defaults = {
      {"self-loops", "add"},  {"layers", 4},   {"hidden", 128},
      {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 0.001},
      {"l2-xi", 0.001},       {"epochs", 400}, {"patience", 400}};
  entry.why_no_weights = &reads_weights;
  entry.check = &check_resgcn;
  return entry;
}

ModelEntry tuned_gnn_entry() {
  ModelEntry entry = entry_of(
      "tuned_gnn", "deep GCN, GraphSAGE or GAT with linear residuals and norms",
      kMakeTunedGnn);
  entry.paper =
      "Classic GNNs are Strong Baselines: Reassessing GNNs for Node "
      "Classification, 2024";
  entry.remarks =
      "Its settings are to be searched for every graph; the defaults are a "
      "start.";
  entry.reads = convolution_reads(
      {"convolution", "aggregator", "heads", "norm", "residual", "dropout-xi"});
  entry.reach = &reach_of_layers;
  entry.meanings = {{"residual", "adds a linear map of a layer's input"},
                    {"dropout-xi", "attention"}};
  entry.defaults = {
      {"self-loops", "add"},  {"layers", 4},     {"hidden", 256},
      {"heads", 1},           {"norm", "batch"}, {"residual", true},
      {"dropout-theta", 0.5}, {"lr", 0.001},     {"dropout-xi", 0.0},
      {"l2-theta", 5e-4},     {"l2-xi", 5e-4}};
  entry.prediction_rows = &predicts_in_rounds<10>;
  entry.training_rows = &trains_layers<2, 14, 6>;
  entry.check = &check_tuned_gnn;
  entry.why_unread = &unread_by_tuned_gnn;
  entry.why_no_weights = &tuned_gnn_reads_weights;
  return entry;
}

}  // namespace

std::vector<ModelEntry> deep_models() {
  return {gcnii_entry(),  gcnii_star_entry(), jknet_entry(), mixhop_entry(),
          h2gcn_entry(),  geom_gcn_entry(),   ggcn_entry(),  incepgcn_entry(),
          resgcn_entry(), tuned_gnn_entry()};
}

}  // namespace ordered_gnn::nn
