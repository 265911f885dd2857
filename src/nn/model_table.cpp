#include <algorithm>
#include <utility>

#include "nn/baselines/acm_gcn.h"
#include "nn/baselines/appnp.h"
#include "nn/baselines/dir_gnn.h"
#include "nn/baselines/fagcn.h"
#include "nn/baselines/fsgnn.h"
#include "nn/baselines/gat.h"
#include "nn/baselines/gcn.h"
#include "nn/baselines/gcnii.h"
#include "nn/baselines/geom_gcn.h"
#include "nn/baselines/ggcn.h"
#include "nn/baselines/gnn_presets.h"
#include "nn/baselines/gprgnn.h"
#include "nn/baselines/graphsage.h"
#include "nn/baselines/h2gcn.h"
#include "nn/baselines/incepgcn.h"
#include "nn/baselines/jknet.h"
#include "nn/baselines/label_propagation.h"
#include "nn/baselines/link.h"
#include "nn/baselines/linkx.h"
#include "nn/baselines/mixhop.h"
#include "nn/baselines/mlp.h"
#include "nn/baselines/polynormer.h"
#include "nn/baselines/resgcn.h"
#include "nn/baselines/sgc.h"
#include "nn/baselines/tuned_gnn.h"
#include "nn/baselines/unimp.h"
#include "nn/model_traits.h"
#include "nn/pass_memory.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn {
namespace {

using Names = std::vector<std::string>;

// A line of the table; `fill` sets what there is to say besides.
template <typename Model>
ModelEntry line(std::string name, std::string summary,
                void (*fill)(ModelEntry& entry)) {
  ModelEntry entry;
  entry.name = std::move(name);
  entry.summary = std::move(summary);
  entry.make = [](const ModelShape& shape, const ModelOptions& options,
                  int64_t seed) -> std::shared_ptr<NodeModel> {
    return std::make_shared<Model>(shape, options, seed);
  };
  entry.prediction_rows = &nn::predicts_in_rounds<6>;
  entry.training_rows = &nn::trains_layers<1, 6>;
  fill(entry);
  return entry;
}

// What the Ordered GNN reads, but for what a preset of it has no use for.
Names ordered_reads(const Names& without = {}) {
  Names all = option_names(ordered_gnn_option_table());
  for (const char* of_training :
       {"l2-theta", "l2-xi", "input-norm", "checkpoint-layers"}) {
    all.emplace_back(of_training);
  }
  Names names;
  for (const std::string& name : all) {
    const bool left_out =
        std::find(without.begin(), without.end(), name) != without.end();
    if (!left_out) names.push_back(name);
  }
  return names;
}

// The layers of a convolutional network and what its own convolutions need.
Names convolution_reads(const Names& own = {}) {
  Names names = {"layers", "hidden"};
  names.insert(names.end(), own.begin(), own.end());
  names.insert(names.end(), {"dropout-theta", "l2-theta", "l2-xi"});
  return names;
}

// Of the gates that the model has, whatever --gating says.
template <OrderedGnnOptions (*kNetwork)(const ModelOptions&)>
void check_network(const ModelOptions& options) {
  validate(kNetwork(options));
}

const char* const kOrderedGnnPaper =
    "Ordered GNN: Ordering Message Passing to Deal with Heterophily and "
    "Over-smoothing, 2023";
const char* const kAblation =
    "Is an ablation of the Ordered GNN as a model of its own.";
const char* const kReadsLabels =
    "Reads the labels of the split's training nodes, never those of others. "
    "Evaluation and prediction tell it all of these; `ognn predict` takes them "
    "from the data and the split that it was trained on.";
const char* const kPerNode =
    "Has parameters for every node: it predicts on the graph that it was "
    "trained on and on no other.";
const char* const kSteps = "steps of the propagation";

void fill_tuned_gnn(ModelEntry& entry) {
  entry.paper =
      "Classic GNNs are Strong Baselines: Reassessing GNNs for Node "
      "Classification, 2024";
  entry.remarks =
      "Its settings are to be searched for every graph; the defaults are a "
      "start.";
  entry.reads = convolution_reads(
      {"convolution", "aggregator", "heads", "norm", "residual", "dropout-xi"});
  entry.reach = &nn::reach_of_layers;
  entry.meanings = {{"residual", "adds a linear map of a layer's input"},
                    {"dropout-xi", "attention"}};
  entry.defaults = nn::TunedGnn::defaults();
  entry.prediction_rows = &nn::predicts_in_rounds<10>;
  entry.training_rows = &nn::trains_layers<2, 14, 6>;
  entry.check = &nn::TunedGnn::check;
  entry.why_unread = &nn::TunedGnn::why_unread;
  entry.why_no_weights = &nn::tuned_gnn_reads_weights;
}

void fill_dir_gnn(ModelEntry& entry) {
  entry.paper =
      "Edge Directionality Improves Learning on Heterophilic Graphs, 2023";
  entry.remarks =
      "Hears the two ends of an edge apart, so data should be read with its "
      "directions (`--direction as_stored`). Where every edge runs both ways "
      "its two neighbourhoods are one, and training says so.";
  entry.reads =
      convolution_reads({"convolution", "alpha", "jumping", "unit-rows"});
  entry.meanings = {{"alpha", "neighbours that a node's edges lead to"}};
  entry.defaults = nn::DirGnn::defaults();
  entry.tells_directions = true;
  entry.check = &nn::DirGnn::check;
  entry.why_unread = &nn::DirGnn::why_unread;
  entry.prediction_rows = &nn::predicts_all_rounds;
  entry.training_rows = &nn::trains_jumping;
}

void fill_polynormer(ModelEntry& entry) {
  entry.paper =
      "Polynormer: Polynomial-Expressive Graph Transformer in Linear Time, "
      "2024";
  entry.remarks =
      "Trains with attention over neighbours alone for `--local-epochs`, then "
      "with attention between all nodes; `--epochs` counts both, and "
      "`--patience` should be no smaller than the former. Which of the two "
      "the best epoch had is in the checkpoint.";
  entry.reads = {"layers",     "global-layers", "hidden",
                 "heads",      "local-epochs",  "dropout-theta",
                 "dropout-xi", "l2-theta",      "l2-xi"};
  entry.meanings = {{"dropout-theta", "features"}};
  entry.defaults = nn::Polynormer::defaults();
  entry.check = &nn::Polynormer::check;
  entry.prediction_rows = &nn::predicts_in_rounds<16>;
  entry.training_rows = &nn::trains_polynormer;
}

void fill_gcnii(ModelEntry& entry) {
  entry.paper = "Simple and Deep Graph Convolutional Networks, 2020";
  entry.reads = convolution_reads({"alpha", "lambda", "dropout-xi"});
  entry.reach = &nn::reach_of_layers;
  entry.meanings = {{"alpha", "initial residual"},
                    {"lambda", "identity mapping"},
                    {"dropout-theta", "dense layers"},
                    {"dropout-xi", "convolutions"}};
  entry.defaults = nn::Gcnii::defaults();
  entry.prediction_rows = &nn::predicts_in_rounds<10>;
  entry.training_rows = &nn::trains_layers<2, 12>;
  entry.why_no_weights = &nn::reads_weights;
}

// The paper's network, its ablations and the perceptron it starts from.
std::vector<ModelEntry> own_models() {
  return {
      line<OrderedGnn>(
          "ordered_gnn",
          "Ordered GNN: neurons ordered by hop, gates split ego from "
          "neighbours",
          [](ModelEntry& entry) {
            entry.paper = kOrderedGnnPaper;
            entry.reads = ordered_reads();
            entry.reach = &nn::reach_of_layers;
            entry.check = &check_network<&nn::itself>;
            entry.why_unread = &nn::no_gates_to_set;
            entry.why_no_bf16 = &nn::takes_bf16_fused;
            entry.why_no_weights = &nn::reads_weights_in_layers;
            entry.prediction_rows = &nn::predicts_gated<&nn::itself>;
            entry.training_rows = &nn::trains_ordered<&nn::itself>;
            entry.as_ordered_gnn = &nn::itself;
            entry.has_node_parameters = &nn::learns_node_ids;
          }),
      line<nn::Mlp>("mlp", "multi-layer perceptron on the node's own features",
                    [](ModelEntry& entry) {
                      entry.reads = {"hidden", "mlp-layers", "dropout-theta",
                                     "l2-theta", "input-norm"};
                      entry.reach = &nn::reach_of_mlp;
                      entry.why_no_bf16 = &nn::takes_bf16;
                      entry.prediction_rows = &nn::predicts_as_mlp;
                      entry.training_rows =
                          &nn::trains_ordered<&nn::without_layers>;
                      entry.as_ordered_gnn = &nn::without_layers;
                    }),
      line<nn::GatedGnn>(
          "gated_gnn", "GNN with simple gates: the Ordered GNN without order",
          [](ModelEntry& entry) {
            entry.paper = kOrderedGnnPaper;
            entry.remarks = kAblation;
            entry.reads = ordered_reads({"gating"});
            entry.reach = &nn::reach_of_layers;
            entry.defaults = {{"gating", "simple"}};
            entry.check = &check_network<&nn::with_simple_gates>;
            entry.why_unread = &nn::no_candidate_to_set;
            entry.why_no_weights = &nn::reads_weights_in_layers;
            entry.prediction_rows = &nn::predicts_gated<&nn::with_simple_gates>;
            entry.training_rows = &nn::trains_ordered<&nn::with_simple_gates>;
            entry.as_ordered_gnn = &nn::with_simple_gates;
            entry.has_node_parameters = &nn::learns_node_ids;
          }),
      line<nn::BareGnn>(
          "bare_gnn", "GNN without gates: norm(aggregate(h)), layer by layer",
          [](ModelEntry& entry) {
            entry.paper = kOrderedGnnPaper;
            entry.remarks = kAblation;
            entry.reads = ordered_reads({"gating", "chunk", "tied-gates"});
            entry.reach = &nn::reach_of_layers;
            entry.defaults = {{"gating", "none"}};
            entry.check = &check_network<&nn::without_gates>;
            entry.why_unread = &nn::no_candidate_to_set;
            entry.why_no_weights = &nn::reads_weights_in_layers;
            entry.training_rows = &nn::trains_ordered<&nn::without_gates>;
            entry.as_ordered_gnn = &nn::without_gates;
            entry.has_node_parameters = &nn::learns_node_ids;
          }),
  };
}

// Layers of convolutions or attention.
std::vector<ModelEntry> layered_models() {
  return {
      line<nn::Gcn>("gcn", "GCN: graph convolutions",
                    [](ModelEntry& entry) {
                      entry.paper =
                          "Semi-Supervised Classification with Graph "
                          "Convolutional Networks, 2017";
                      entry.reads = convolution_reads();
                      entry.reach = &nn::reach_of_layers;
                      entry.defaults = nn::Gcn::defaults();
                      entry.why_no_weights = &nn::reads_weights;
                    }),
      line<nn::Gat>("gat", "GAT: attention over neighbours",
                    [](ModelEntry& entry) {
                      entry.paper = "Graph Attention Networks, 2018";
                      entry.reads = {"layers",        "hidden",
                                     "heads",         "output-heads",
                                     "dropout-theta", "dropout-xi",
                                     "l2-xi"};
                      entry.reach = &nn::reach_of_layers;
                      entry.meanings = {{"dropout-theta", "inputs"},
                                        {"dropout-xi", "attention"}};
                      entry.defaults = nn::Gat::defaults();
                      entry.training_rows = &nn::trains_layers<2, 8, 6>;
                      entry.check = &nn::Gat::check;
                    }),
      line<nn::GraphSage>(
          "graphsage", "GraphSAGE: a node beside the mean of its neighbours",
          [](ModelEntry& entry) {
            entry.paper =
                "Inductive Representation Learning on Large Graphs, 2017";
            entry.remarks = "Takes whole neighbourhoods, no samples of them.";
            entry.reads = convolution_reads({"aggregator"});
            entry.reach = &nn::reach_of_layers;
            entry.defaults = nn::GraphSage::defaults();
            entry.prediction_rows = &nn::predicts_in_rounds<8>;
            entry.training_rows = &nn::trains_layers<2, 12>;
            entry.why_no_weights = &nn::reads_weights_in_sums;
          }),
  };
}

// One map of the features, and what spreads over the graph before or after it.
std::vector<ModelEntry> propagating_models() {
  return {
      line<nn::Sgc>("sgc", "SGC: a linear classifier of propagated features",
                    [](ModelEntry& entry) {
                      entry.paper =
                          "Simplifying Graph Convolutional Networks, 2019";
                      entry.reads = {"hops", "dropout-theta", "l2-theta"};
                      entry.reach = &nn::reach_of_hops;
                      entry.meanings = {{"hops", kSteps}};
                      entry.defaults = nn::Sgc::defaults();
                      entry.prediction_rows = &nn::predicts_scores;
                      entry.training_rows = &nn::trains_linear;
                      entry.why_no_weights = &nn::reads_weights;
                    }),
      line<nn::Appnp>(
          "appnp", "APPNP: predictions spread by personalised PageRank",
          [](ModelEntry& entry) {
            entry.paper =
                "Predict then Propagate: Graph Neural Networks "
                "meet Personalized PageRank, 2019";
            entry.reads = {"hops",       "alpha",         "hidden",
                           "mlp-layers", "dropout-theta", "dropout-xi",
                           "l2-theta",   "l2-xi"};
            entry.reach = &nn::reach_of_hops;
            entry.meanings = {{"hops", kSteps},
                              {"alpha", "teleport"},
                              {"dropout-xi", "edges"}};
            entry.defaults = nn::Appnp::defaults();
            entry.training_rows = &nn::trains_spread_scores;
            entry.why_no_weights = &nn::reads_weights;
          }),
      line<nn::GprGnn>(
          "gprgnn", "GPR-GNN: predictions spread with learned hop weights",
          [](ModelEntry& entry) {
            entry.paper =
                "Adaptive Universal Generalized PageRank Graph "
                "Neural Network, 2021";
            entry.reads = {"hops",       "alpha",      "hop-weights",
                           "hidden",     "mlp-layers", "dropout-theta",
                           "dropout-xi", "l2-theta",   "l2-xi"};
            entry.reach = &nn::reach_of_hops;
            entry.meanings = {{"hops", kSteps},
                              {"alpha", "first hop weight"},
                              {"dropout-xi", "before propagation"}};
            entry.defaults = nn::GprGnn::defaults();
            entry.training_rows = &nn::trains_spread_scores;
            entry.why_no_weights = &nn::reads_weights;
          }),
  };
}

// Deep networks, and those that keep several states of a node apart.
std::vector<ModelEntry> deep_models() {
  return {
      line<nn::Gcnii>(
          "gcnii", "GCNII: deep GCN with initial residual and identity mapping",
          &fill_gcnii),
      line<nn::GcniiStar>(
          "gcnii_star",
          "GCNII*: GCNII with weights of its own for the residual",
          &fill_gcnii),
      line<nn::JkNet>(
          "jknet", "JK-Net: GCN that classifies the states of all layers",
          [](ModelEntry& entry) {
            entry.paper =
                "Representation Learning on Graphs with Jumping "
                "Knowledge Networks, 2018";
            entry.reads =
                convolution_reads({"jumping", "convolution", "aggregator"});
            entry.reach = &nn::reach_of_layers;
            entry.meanings = {{"aggregator", "with --convolution sage"}};
            entry.defaults = nn::JkNet::defaults();
            entry.check = &nn::JkNet::check;
            entry.prediction_rows = &nn::predicts_all_rounds;
            entry.training_rows = &nn::trains_jumping;
            entry.why_no_weights = &nn::jknet_reads_weights;
            entry.why_unread = &nn::no_aggregator_to_set;
          }),
      line<nn::MixHop>(
          "mixhop", "MixHop: powers of the adjacency side by side",
          [](ModelEntry& entry) {
            entry.paper =
                "MixHop: Higher-Order Graph Convolutional "
                "Architectures via Sparsified Neighborhood "
                "Mixing, 2019";
            entry.remarks = "Shares its width equally between the powers.";
            entry.reads = convolution_reads({"hops", "norm", "dropout-xi"});
            entry.reach = &nn::reach_of_powers;
            entry.meanings = {{"hops", "highest power of the adjacency"},
                              {"dropout-theta", "input"}};
            entry.defaults = nn::MixHop::defaults();
            entry.training_rows = &nn::trains_layers<1, 10>;
            entry.why_no_weights = &nn::reads_weights;
            entry.check = &nn::MixHop::check;
          }),
      line<nn::H2Gcn>(
          "h2gcn", "H2GCN: ego, neighbours and two-hop neighbours kept apart",
          [](ModelEntry& entry) {
            entry.paper =
                "Beyond Homophily in Graph Neural Networks: Current "
                "Limitations and Effective Designs, 2020";
            entry.reads = {"layers", "hidden", "dropout-theta", "l2-theta"};
            entry.reach = &nn::reach_of_two_hops;
            entry.meanings = {{"layers", "rounds, 1 or 2 in the paper"}};
            entry.defaults = nn::H2Gcn::defaults();
            entry.prediction_rows = &nn::predicts_doubling;
            entry.training_rows = &nn::trains_doubling;
            entry.check = &nn::H2Gcn::check;
          }),
      line<nn::GeomGcn>(
          "geom_gcn",
          "Geom-GCN: neighbours told apart by where they are in a plane",
          [](ModelEntry& entry) {
            entry.paper =
                "Geom-GCN: Geometric Graph Convolutional Networks, 2020";
            entry.remarks =
                "Lays the graph out in the plane first, by hop distances "
                "(`isomap`; above 512 nodes from 512 landmarks) or by "
                "eigenvectors of the random walk (`spectral`), once for all "
                "splits of a call. With `--layout-cache DIR` the layout, and "
                "who is close to whom there, is read from a file "
                "`ognn-latent-*.safetensors` in that folder, or written there "
                "for the next call; without it nothing is written.";
            entry.reads = {"layers",        "hidden", "embedding",
                           "dropout-theta", "l2-xi",  "layout-cache"};
            entry.defaults = nn::GeomGcn::defaults();
            entry.prediction_rows = &nn::predicts_in_rounds<24>;
            entry.training_rows = &nn::trains_layers<1, 24, 4>;
          }),
      line<nn::Ggcn>("ggcn", "GGCN: signed messages, corrected for degrees",
                     [](ModelEntry& entry) {
                       entry.paper =
                           "Two Sides of the Same Coin: Heterophily and "
                           "Oversmoothing in Graph Convolutional Neural "
                           "Networks, 2022";
                       entry.reads = convolution_reads({"lambda", "exponent"});
                       entry.reach = &nn::reach_of_layers;
                       entry.meanings = {{"lambda", "decay"}};
                       entry.defaults = nn::Ggcn::defaults();
                       entry.prediction_rows = &nn::predicts_in_rounds<10>;
                       entry.training_rows = &nn::trains_layers<2, 16, 2>;
                       entry.check = &nn::Ggcn::check;
                     }),
      line<nn::IncepGcn>(
          "incepgcn", "IncepGCN: GCN branches of every depth side by side",
          [](ModelEntry& entry) {
            entry.paper =
                "DropEdge: Towards Deep Graph Convolutional Networks on Node "
                "Classification, 2020";
            entry.reads = convolution_reads();
            entry.reach = &nn::reach_of_layers;
            entry.defaults = nn::IncepGcn::defaults();
            entry.prediction_rows = &nn::predicts_all_rounds;
            entry.training_rows = &nn::trains_branches;
            entry.why_no_weights = &nn::reads_weights;
            entry.check = &nn::IncepGcn::check;
          }),
      line<nn::ResGcn>("resgcn", "ResGCN: GCN with residual connections",
                       [](ModelEntry& entry) {
                         entry.paper =
                             "DeepGCNs: Can GCNs Go as Deep as CNNs?, 2019, in "
                             "the form of DropEdge";
                         entry.reads = convolution_reads();
                         entry.reach = &nn::reach_of_layers;
                         entry.defaults = nn::ResGcn::defaults();
                         entry.why_no_weights = &nn::reads_weights;
                         entry.check = &nn::ResGcn::check;
                       }),
      line<nn::TunedGnn>("tuned_gnn",
                         "deep GCN, GraphSAGE or GAT with linear residuals and "
                         "norms",
                         &fill_tuned_gnn),
  };
}

// Networks made for graphs whose neighbours differ, and a transformer.
std::vector<ModelEntry> heterophily_models() {
  return {
      line<nn::DirGnn>(
          "dir_gnn",
          "Dir-GNN: weights of their own for both directions of edges",
          &fill_dir_gnn),
      line<nn::AcmGcn>(
          "acm_gcn",
          "ACM-GCN: neighbours, differences from them and the node, mixed by "
          "every node",
          [](ModelEntry& entry) {
            entry.paper =
                "Revisiting Heterophily For Graph Neural Networks, 2022";
            entry.reads = {"layers", "hidden", "aggregator", "dropout-theta",
                           "l2-xi"};
            entry.reach = &nn::reach_of_layers;
            entry.meanings = {{"aggregator", "mean or gcn"}};
            entry.defaults = nn::AcmGcn::defaults();
            entry.check = &nn::AcmGcn::check;
            entry.prediction_rows = &nn::predicts_in_rounds<14>;
            entry.training_rows = &nn::trains_layers<3, 24>;
            entry.why_no_weights = &nn::reads_weights;
          }),
      line<nn::Fagcn>(
          "fagcn", "FAGCN: neighbours added or taken off, by signed attention",
          [](ModelEntry& entry) {
            entry.paper =
                "Beyond Low-frequency Information in Graph Convolutional "
                "Networks, 2021";
            entry.reads = convolution_reads({"alpha", "dropout-xi"});
            entry.reach = &nn::reach_of_layers;
            entry.meanings = {{"alpha", "first state in every layer"},
                              {"dropout-xi", "attention"}};
            entry.defaults = nn::Fagcn::defaults();
            entry.prediction_rows = &nn::predicts_in_rounds<8>;
            entry.training_rows = &nn::trains_layers<1, 10, 6>;
          }),
      line<nn::Fsgnn>(
          "fsgnn", "FSGNN: features of every hop, each with a learned share",
          [](ModelEntry& entry) {
            entry.paper =
                "Improving Graph Neural Networks with Simple Architecture "
                "Design, 2021";
            entry.reads = {"hops",          "hidden",   "unit-rows",
                           "dropout-theta", "l2-theta", "l2-xi"};
            entry.meanings = {{"hops", "furthest hop"}};
            entry.defaults = nn::Fsgnn::defaults();
            entry.prediction_rows = &nn::predicts_hop_maps;
            entry.training_rows = &nn::trains_hop_maps;
          }),
      line<nn::Polynormer>(
          "polynormer",
          "Polynormer: graph transformer that multiplies states, in linear "
          "time",
          &fill_polynormer),
  };
}

// What reads rows of the adjacency, or labels.
std::vector<ModelEntry> other_models() {
  return {
      line<nn::Link>(
          "link", "LINK: logistic regression on rows of the adjacency",
          [](ModelEntry& entry) {
            entry.paper =
                "To Join or Not to Join: The Illusion of Privacy in Social "
                "Networks with Mixed Public and Private User Profiles, 2009";
            entry.remarks = kPerNode;
            entry.reads = {"l2-theta"};
            entry.defaults = nn::Link::defaults();
            entry.prediction_rows = &nn::predicts_scores;
            entry.training_rows = &nn::trains_without_features;
            entry.has_node_parameters = &nn::always_per_node;
          }),
      line<nn::Linkx>(
          "linkx",
          "LINKX: perceptrons of features and of rows of the adjacency",
          [](ModelEntry& entry) {
            entry.paper =
                "Large Scale Learning on Non-Homophilous Graphs: New "
                "Benchmarks and Strong Simple Methods, 2021";
            entry.remarks = kPerNode;
            entry.reads = {"layers",        "hidden",   "mlp-layers",
                           "dropout-theta", "l2-theta", "l2-xi"};
            entry.meanings = {
                {"layers", "of the perceptrons of features and adjacency"}};
            entry.defaults = nn::Linkx::defaults();
            entry.why_unread = &nn::Linkx::why_unread;
            entry.prediction_rows = &nn::predicts_in_rounds<10>;
            entry.training_rows = &nn::trains_linkx;
            entry.has_node_parameters = &nn::always_per_node;
          }),
      line<nn::LabelPropagation>(
          "label_propagation", "training labels spread over the graph",
          [](ModelEntry& entry) {
            entry.paper = "Learning with Local and Global Consistency, 2004";
            entry.remarks = kReadsLabels;
            entry.reads = {"hops", "alpha"};
            entry.reach = &nn::reach_of_hops;
            entry.meanings = {{"hops", kSteps}, {"alpha", "training labels"}};
            entry.defaults = nn::LabelPropagation::defaults();
            entry.prediction_rows = &nn::predicts_scores;
            entry.training_rows = &nn::trains_without_features;
            entry.why_no_weights = &nn::reads_weights;
          }),
      line<nn::UniMp>(
          "unimp", "UniMP: graph transformer that is told some of the labels",
          [](ModelEntry& entry) {
            entry.paper =
                "Masked Label Prediction: Unified Message Passing Model for "
                "Semi-Supervised Classification, 2021";
            entry.remarks =
                std::string(kReadsLabels) +
                " A training step tells it a random share (`--label-rate`) "
                "and its loss is on the rest.";
            entry.reads = {"layers",        "hidden",     "heads", "label-rate",
                           "dropout-theta", "dropout-xi", "l2-xi"};
            entry.reach = &nn::reach_of_layers;
            entry.meanings = {{"dropout-theta", "inputs"},
                              {"dropout-xi", "attention"}};
            entry.defaults = nn::UniMp::defaults();
            entry.prediction_rows = &nn::predicts_in_rounds<18>;
            entry.training_rows = &nn::trains_layers<4, 18, 8>;
            entry.check = &nn::UniMp::check;
          }),
  };
}

}  // namespace

const std::vector<ModelEntry>& model_table() {
  static const std::vector<ModelEntry> table = [] {
    std::vector<ModelEntry> all;
    for (const auto& part :
         {own_models(), layered_models(), propagating_models(), deep_models(),
          heterophily_models(), other_models()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace ordered_gnn
