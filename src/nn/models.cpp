#include "ordered_gnn/nn/models.h"

#include <algorithm>

#include "core/names.h"
#include "nn/baselines/appnp.h"
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
#include "nn/baselines/mixhop.h"
#include "nn/baselines/mlp.h"
#include "nn/baselines/resgcn.h"
#include "nn/baselines/sgc.h"
#include "nn/baselines/unimp.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn {
namespace {

template <typename Model>
std::shared_ptr<NodeModel> make(const ModelShape& shape,
                                const ModelOptions& options, int64_t seed) {
  return std::make_shared<Model>(shape, options, seed);
}

void check_gates(const ModelOptions& options) {
  validate(static_cast<const OrderedGnnOptions&>(options));
}

// Whatever --gating says.
void check_simple_gates(const ModelOptions& options) {
  OrderedGnnOptions gated = options;
  gated.gating = Gating::simple;
  validate(gated);
}

using Names = std::vector<std::string>;

bool is_in(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
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
    if (!is_in(without, name)) names.push_back(name);
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

std::vector<ModelEntry> make_model_table() {
  return {
      {"ordered_gnn",
       "Ordered GNN: neurons ordered by hop, gates split ego from neighbours",
       &make<OrderedGnn>, ordered_reads(), Json::object(), &check_gates},
      {"mlp",
       "multi-layer perceptron on the node's own features",
       &make<nn::Mlp>,
       {"hidden", "mlp-layers", "dropout-theta", "l2-theta", "input-norm"},
       Json::object()},
      {"gated_gnn", "GNN with simple gates: the Ordered GNN without order",
       &make<nn::GatedGnn>, ordered_reads({"gating"}),
       Json{{"gating", "simple"}}, &check_simple_gates},
      {"bare_gnn", "GNN without gates: norm(aggregate(h)), layer by layer",
       &make<nn::BareGnn>, ordered_reads({"gating", "chunk", "tied-gates"}),
       Json{{"gating", "none"}}},
      {"gcn", "GCN: graph convolutions", &make<nn::Gcn>, convolution_reads(),
       nn::Gcn::defaults()},
      {"gat",
       "GAT: attention over neighbours",
       &make<nn::Gat>,
       {"layers", "hidden", "heads", "output-heads", "dropout-theta",
        "dropout-xi", "l2-xi"},
       nn::Gat::defaults(),
       &nn::Gat::check},
      {"graphsage", "GraphSAGE: a node beside the mean of its neighbours",
       &make<nn::GraphSage>, convolution_reads({"aggregator"}),
       nn::GraphSage::defaults()},
      {"sgc",
       "SGC: a linear classifier of propagated features",
       &make<nn::Sgc>,
       {"hops", "dropout-theta", "l2-theta"},
       nn::Sgc::defaults()},
      {"appnp",
       "APPNP: predictions spread by personalised PageRank",
       &make<nn::Appnp>,
       {"hops", "alpha", "hidden", "mlp-layers", "dropout-theta", "dropout-xi",
        "l2-theta", "l2-xi"},
       nn::Appnp::defaults()},
      {"gprgnn",
       "GPR-GNN: predictions spread with learned hop weights",
       &make<nn::GprGnn>,
       {"hops", "alpha", "hop-weights", "hidden", "mlp-layers", "dropout-theta",
        "dropout-xi", "l2-theta", "l2-xi"},
       nn::GprGnn::defaults()},
      {"gcnii", "GCNII: deep GCN with initial residual and identity mapping",
       &make<nn::Gcnii>, convolution_reads({"alpha", "lambda", "dropout-xi"}),
       nn::Gcnii::defaults()},
      {"gcnii_star", "GCNII*: GCNII with weights of its own for the residual",
       &make<nn::GcniiStar>,
       convolution_reads({"alpha", "lambda", "dropout-xi"}),
       nn::Gcnii::defaults()},
      {"jknet", "JK-Net: GCN that classifies the states of all layers",
       &make<nn::JkNet>,
       convolution_reads({"jumping", "convolution", "aggregator"}),
       nn::JkNet::defaults()},
      {"mixhop", "MixHop: powers of the adjacency side by side",
       &make<nn::MixHop>, convolution_reads({"hops", "norm", "dropout-xi"}),
       nn::MixHop::defaults(), &nn::MixHop::check},
      {"h2gcn",
       "H2GCN: ego, neighbours and two-hop neighbours kept apart",
       &make<nn::H2Gcn>,
       {"layers", "hidden", "dropout-theta", "l2-theta"},
       nn::H2Gcn::defaults(),
       &nn::H2Gcn::check},
      {"geom_gcn",
       "Geom-GCN: neighbours told apart by where they are in a plane",
       &make<nn::GeomGcn>,
       {"layers", "hidden", "embedding", "dropout-theta", "l2-xi"},
       nn::GeomGcn::defaults(),
       nullptr,
       /*is_per_node=*/false,
       /*reads_layout=*/true},
      {"ggcn", "GGCN: signed messages, corrected for degrees", &make<nn::Ggcn>,
       convolution_reads({"lambda", "exponent"}), nn::Ggcn::defaults(),
       &nn::Ggcn::check},
      {"incepgcn", "IncepGCN: GCN branches of every depth side by side",
       &make<nn::IncepGcn>, convolution_reads(), nn::IncepGcn::defaults(),
       &nn::IncepGcn::check},
      {"resgcn", "ResGCN: GCN with residual connections", &make<nn::ResGcn>,
       convolution_reads(), nn::ResGcn::defaults(), &nn::ResGcn::check},
      {"link",
       "LINK: logistic regression on rows of the adjacency",
       &make<nn::Link>,
       {"l2-theta"},
       nn::Link::defaults(),
       nullptr,
       /*is_per_node=*/true},
      {"label_propagation",
       "training labels spread over the graph",
       &make<nn::LabelPropagation>,
       {"hops", "alpha"},
       nn::LabelPropagation::defaults()},
      {"unimp",
       "UniMP: graph transformer that is told some of the labels",
       &make<nn::UniMp>,
       {"layers", "hidden", "heads", "label-rate", "dropout-theta",
        "dropout-xi", "l2-xi"},
       nn::UniMp::defaults(),
       &nn::UniMp::check},
  };
}

}  // namespace

bool ModelEntry::reads_option(const std::string& option) const {
  return is_in(reads, option);
}

const std::vector<ModelEntry>& model_table() {
  static const std::vector<ModelEntry> table = make_model_table();
  return table;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) names.push_back(entry.name);
  return names;
}

const ModelEntry& find_model(const std::string& name) {
  for (const ModelEntry& entry : model_table()) {
    if (entry.name == name) return entry;
  }
  throw UsageError(core::unknown_name_message("model", name, model_names()));
}

void check_model_options(const std::string& name, const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  for (const auto& row : model_option_table()) {
    check_option(row.spec, row.get(options));
  }
  if (entry.check != nullptr) entry.check(options);
}

std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const ModelOptions& options,
                                        int64_t seed) {
  check_model_options(name, options);
  return find_model(name).make(shape, options, seed);
}

}  // namespace ordered_gnn
