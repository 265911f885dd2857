#include "nn/baselines/acm_gcn.h"
#include "nn/baselines/attention_convolution.h"
#include "nn/baselines/dir_gnn.h"
#include "nn/baselines/fagcn.h"
#include "nn/baselines/fsgnn.h"
#include "nn/baselines/label_propagation.h"
#include "nn/baselines/link.h"
#include "nn/baselines/linkx.h"
#include "nn/baselines/polynormer.h"
#include "nn/baselines/unimp.h"
#include "nn/entries/model_entry.h"
#include "nn/model_traits.h"
#include "nn/pass_memory.h"

// Networks made for graphs whose neighbours differ, a transformer, and what
// reads rows of the adjacency, or labels.
namespace ordered_gnn::nn {
namespace {

ModelEntry dir_gnn_entry() {
  ModelEntry entry = entry_of(
      "dir_gnn", "Dir-GNN: weights of their own for both directions of edges",
      kMakeDirGnn);
  entry.paper =
      "Edge Directionality Improves Learning on Heterophilic Graphs, 2023";
  entry.remarks =
      "Hears the two ends of an edge apart, so data should be read with its "
      "directions (`--direction as_stored`). Where every edge runs both ways "
      "its two neighbourhoods are one, and training says so.";
  entry.reads =
      convolution_reads({"convolution", "alpha", "jumping", "unit-rows"});
  entry.meanings = {{"alpha", "neighbours that a node's edges lead to"}};
  entry.defaults = {
      {"self-loops", "keep"}, {"layers", 5},          {"hidden", 128},
      {"alpha", 0.5},         {"jumping", "max"},     {"unit-rows", true},
      {"lr", 0.005},          {"dropout-theta", 0.0}, {"l2-theta", 0.0},
      {"l2-xi", 0.0},         {"patience", 400}};
  entry.tells_directions = true;
  entry.check = &check_dir_gnn;
  entry.why_unread = &unread_by_dir_gnn;
  entry.prediction_rows = &predicts_all_rounds;
  entry.training_rows = &trains_jumping;
  return entry;
}

ModelEntry acm_gcn_entry() {
  ModelEntry entry = entry_of("acm_gcn",
                              "ACM-GCN: neighbours, differences from them and "
                              "the node, mixed by every node",
                              kMakeAcmGcn);
  entry.paper = "Revisiting Heterophily For Graph Neural Networks, 2022";
  entry.reads = {"layers", "hidden", "aggregator", "dropout-theta", "l2-xi"};
  entry.reach = &reach_of_layers;
  entry.meanings = {{"aggregator", "mean or gcn"}};
  entry.defaults = {{"self-loops", "add"}, {"layers", 2},
                    {"hidden", 64},        {"aggregator", "mean"},
                    {"lr", 0.05},          {"dropout-theta", 0.5},
                    {"l2-theta", 0.001},   {"l2-xi", 0.001}};
  entry.check = &check_acm_gcn;
  entry.prediction_rows = &predicts_in_rounds<14>;
  entry.training_rows = &trains_layers<3, 24>;
  entry.why_no_weights = &reads_weights;
  return entry;
}

ModelEntry fagcn_entry() {
  ModelEntry entry = entry_of(
      "fagcn", "FAGCN: neighbours added or taken off, by signed attention",
      kMakeFagcn);
  entry.paper =
      "Beyond Low-frequency Information in Graph Convolutional Networks, 2021";
  entry.reads = convolution_reads({"alpha", "dropout-xi"});
  entry.reach = &reach_of_layers;
  entry.meanings = {{"alpha", "first state in every layer"},
                    {"dropout-xi", "attention"}};
  entry.defaults = {
      {"self-loops", "remove"}, {"layers", 2},      {"hidden", 32},
      {"alpha", 0.3},           {"lr", 0.01},       {"dropout-theta", 0.5},
      {"dropout-xi", 0.5},      {"l2-theta", 5e-5}, {"l2-xi", 5e-5},
      {"epochs", 500},          {"patience", 200}};
  entry.prediction_rows = &predicts_in_rounds<8>;
  entry.training_rows = &trains_layers<1, 10, 6>;
  return entry;
}

ModelEntry fsgnn_entry() {
  ModelEntry entry = entry_of(
      "fsgnn", "FSGNN: features of every hop, each with a learned share",
      kMakeFsgnn);
  entry.paper =
      "Improving Graph Neural Networks with Simple Architecture Design, 2021";
  entry.reads = {"hops",          "hidden",   "unit-rows",
                 "dropout-theta", "l2-theta", "l2-xi"};
  entry.meanings = {{"hops", "furthest hop"}};
  entry.defaults = {
      {"self-loops", "remove"}, {"hops", 3},    {"hidden", 64},
      {"unit-rows", true},      {"lr", 0.01},   {"dropout-theta", 0.6},
      {"l2-theta", 0.001},      {"l2-xi", 0.1}, {"epochs", 1500},
      {"patience", 100}};
  entry.prediction_rows = &predicts_hop_maps;
  entry.training_rows = &trains_hop_maps;
  return entry;
}

ModelEntry polynormer_entry() {
  ModelEntry entry = entry_of(
      "polynormer",
      "Polynormer: graph transformer that multiplies states, in linear time",
      kMakePolynormer);
  entry.paper =
      "Polynormer: Polynomial-Expressive Graph Transformer in Linear Time, "
      "2024";
  entry.remarks =
      "Trains with attention over neighbours alone for `--local-epochs`, then "
      "with attention between all nodes; `--epochs` counts both, and "
      "`--patience` should be no smaller than the former. Which of the two the "
      "best epoch had is in the checkpoint.";
  entry.reads = {"layers",     "global-layers", "hidden",
                 "heads",      "local-epochs",  "dropout-theta",
                 "dropout-xi", "l2-theta",      "l2-xi"};
  entry.meanings = {{"dropout-theta", "features"}};
  entry.defaults = {
      {"self-loops", "add"}, {"layers", 7},       {"global-layers", 2},
      {"hidden", 512},       {"heads", 8},        {"local-epochs", 100},
      {"lr", 0.001},         {"dropout-xi", 0.5}, {"dropout-theta", 0.2},
      {"l2-theta", 5e-5},    {"l2-xi", 5e-5},     {"epochs", 1100},
      {"patience", 1100}};
  entry.check = &check_heads;
  entry.prediction_rows = &predicts_in_rounds<16>;
  entry.training_rows = &trains_polynormer;
  return entry;
}

ModelEntry link_entry() {
  ModelEntry entry = entry_of(
      "link", "LINK: logistic regression on rows of the adjacency", kMakeLink);
  entry.paper =
      "To Join or Not to Join: The Illusion of Privacy in Social Networks with "
      "Mixed Public and Private User Profiles, 2009";
  entry.remarks = kPerNode;
  entry.reads = {"l2-theta"};
  entry.defaults = {{"self-loops", "remove"},
                    {"lr", 0.01},
                    {"l2-theta", 0.001},
                    {"l2-xi", 0.001}};
  entry.prediction_rows = &predicts_scores;
  entry.training_rows = &trains_without_features;
  entry.has_node_parameters = &always_per_node;
  return entry;
}

ModelEntry linkx_entry() {
  ModelEntry entry = entry_of(
      "linkx", "LINKX: perceptrons of features and of rows of the adjacency",
      kMakeLinkx);
  entry.paper =
      "Large Scale Learning on Non-Homophilous Graphs: New Benchmarks and "
      "Strong Simple Methods, 2021";
  entry.remarks = kPerNode;
  entry.reads = {"layers",        "hidden",   "mlp-layers",
                 "dropout-theta", "l2-theta", "l2-xi"};
  entry.meanings = {{"layers", "of the perceptrons of features and adjacency"}};
  entry.defaults = {
      {"self-loops", "keep"}, {"layers", 1},          {"hidden", 128},
      {"mlp-layers", 2},      {"dropout-theta", 0.5}, {"lr", 0.01},
      {"l2-theta", 0.001},    {"l2-xi", 0.001},       {"epochs", 500}};
  entry.why_unread = &unread_by_linkx;
  entry.prediction_rows = &predicts_in_rounds<10>;
  entry.training_rows = &trains_linkx;
  entry.has_node_parameters = &always_per_node;
  return entry;
}

ModelEntry label_propagation_entry() {
  ModelEntry entry =
      entry_of("label_propagation", "training labels spread over the graph",
               kMakeLabelPropagation);
  entry.paper = "Learning with Local and Global Consistency, 2004";
  entry.remarks = kReadsLabels;
  entry.reads = {"hops", "alpha"};
  entry.reach = &reach_of_hops;
  entry.meanings = {{"hops", kSteps}, {"alpha", "training labels"}};
  entry.defaults = {{"self-loops", "remove"},
                    {"hops", 50},
                    {"alpha", 0.01},
                    {"epochs", 1},
                    {"patience", 1}};
  entry.prediction_rows = &predicts_scores;
  entry.training_rows = &trains_without_features;
  entry.why_no_weights = &reads_weights;
  return entry;
}

ModelEntry unimp_entry() {
  ModelEntry entry = entry_of(
      "unimp", "UniMP: graph transformer that is told some of the labels",
      kMakeUnimp);
  entry.paper =
      "Masked Label Prediction: Unified Message Passing Model for "
      "Semi-Supervised Classification, 2021";
  entry.remarks = std::string(kReadsLabels) +
                  " A training step tells it a random share (`--label-rate`) "
                  "and its loss is on the rest.";
  entry.reads = {"layers",        "hidden",     "heads", "label-rate",
                 "dropout-theta", "dropout-xi", "l2-xi"};
  entry.reach = &reach_of_layers;
  entry.meanings = {{"dropout-theta", "inputs"}, {"dropout-xi", "attention"}};
  entry.defaults = {{"self-loops", "add"}, {"layers", 3},
                    {"hidden", 256},       {"heads", 2},
                    {"label-rate", 0.625}, {"dropout-theta", 0.3},
                    {"dropout-xi", 0.3},   {"lr", 0.001},
                    {"l2-theta", 5e-4},    {"l2-xi", 5e-4}};
  entry.prediction_rows = &predicts_in_rounds<18>;
  entry.training_rows = &trains_layers<4, 18, 8>;
  entry.check = &check_heads;
  return entry;
}

}  // namespace

std::vector<ModelEntry> heterophily_models() {
  return {dir_gnn_entry(), acm_gcn_entry(),           fagcn_entry(),
          fsgnn_entry(),   polynormer_entry(),        link_entry(),
          linkx_entry(),   label_propagation_entry(), unimp_entry()};
}

}  // namespace ordered_gnn::nn
