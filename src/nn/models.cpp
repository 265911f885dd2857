#include "ordered_gnn/nn/models.h"

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/nn/appnp.h"
#include "ordered_gnn/nn/gat.h"
#include "ordered_gnn/nn/gcn.h"
#include "ordered_gnn/nn/gcnii.h"
#include "ordered_gnn/nn/geom_gcn.h"
#include "ordered_gnn/nn/ggcn.h"
#include "ordered_gnn/nn/gnn_presets.h"
#include "ordered_gnn/nn/gprgnn.h"
#include "ordered_gnn/nn/graphsage.h"
#include "ordered_gnn/nn/h2gcn.h"
#include "ordered_gnn/nn/incepgcn.h"
#include "ordered_gnn/nn/jknet.h"
#include "ordered_gnn/nn/label_propagation.h"
#include "ordered_gnn/nn/link.h"
#include "ordered_gnn/nn/mixhop.h"
#include "ordered_gnn/nn/mlp.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "ordered_gnn/nn/resgcn.h"
#include "ordered_gnn/nn/sgc.h"
#include "ordered_gnn/nn/unimp.h"

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
       &make<Mlp>,
       {"hidden", "mlp-layers", "dropout-theta", "l2-theta", "input-norm"},
       Json::object()},
      {"gated_gnn", "GNN with simple gates: the Ordered GNN without order",
       &make<GatedGnn>, ordered_reads({"gating"}), Json{{"gating", "simple"}},
       &check_simple_gates},
      {"bare_gnn", "GNN without gates: norm(aggregate(h)), layer by layer",
       &make<BareGnn>, ordered_reads({"gating", "chunk", "tied-gates"}),
       Json{{"gating", "none"}}},
      {"gcn", "GCN: graph convolutions", &make<Gcn>, convolution_reads(),
       Gcn::defaults()},
      {"gat",
       "GAT: attention over neighbours",
       &make<Gat>,
       {"layers", "hidden", "heads", "output-heads", "dropout-theta",
        "dropout-xi", "l2-xi"},
       Gat::defaults(),
       &Gat::check},
      {"graphsage", "GraphSAGE: a node beside the mean of its neighbours",
       &make<GraphSage>, convolution_reads({"aggregator"}),
       GraphSage::defaults()},
      {"sgc",
       "SGC: a linear classifier of propagated features",
       &make<Sgc>,
       {"hops", "dropout-theta", "l2-theta"},
       Sgc::defaults()},
      {"appnp",
       "APPNP: predictions spread by personalised PageRank",
       &make<Appnp>,
       {"hops", "alpha", "hidden", "mlp-layers", "dropout-theta", "dropout-xi",
        "l2-theta", "l2-xi"},
       Appnp::defaults()},
      {"gprgnn",
       "GPR-GNN: predictions spread with learned hop weights",
       &make<GprGnn>,
       {"hops", "alpha", "hop-weights", "hidden", "mlp-layers", "dropout-theta",
        "dropout-xi", "l2-theta", "l2-xi"},
       GprGnn::defaults()},
      {"gcnii", "GCNII: deep GCN with initial residual and identity mapping",
       &make<Gcnii>, convolution_reads({"alpha", "lambda", "dropout-xi"}),
       Gcnii::defaults()},
      {"gcnii_star", "GCNII*: GCNII with weights of its own for the residual",
       &make<GcniiStar>, convolution_reads({"alpha", "lambda", "dropout-xi"}),
       Gcnii::defaults()},
      {"jknet", "JK-Net: GCN that classifies the states of all layers",
       &make<JkNet>,
       convolution_reads({"jumping", "convolution", "aggregator"}),
       JkNet::defaults()},
      {"mixhop", "MixHop: powers of the adjacency side by side", &make<MixHop>,
       convolution_reads({"hops", "norm", "dropout-xi"}), MixHop::defaults(),
       &MixHop::check},
      {"h2gcn",
       "H2GCN: ego, neighbours and two-hop neighbours kept apart",
       &make<H2Gcn>,
       {"layers", "hidden", "dropout-theta", "l2-theta"},
       H2Gcn::defaults(),
       &H2Gcn::check},
      {"geom_gcn",
       "Geom-GCN: neighbours told apart by where they are in a plane",
       &make<GeomGcn>,
       {"layers", "hidden", "embedding", "dropout-theta", "l2-xi"},
       GeomGcn::defaults(),
       nullptr,
       /*is_per_node=*/false,
       /*reads_layout=*/true},
      {"ggcn", "GGCN: signed messages, corrected for degrees", &make<Ggcn>,
       convolution_reads({"lambda", "exponent"}), Ggcn::defaults(),
       &Ggcn::check},
      {"incepgcn", "IncepGCN: GCN branches of every depth side by side",
       &make<IncepGcn>, convolution_reads(), IncepGcn::defaults(),
       &IncepGcn::check},
      {"resgcn", "ResGCN: GCN with residual connections", &make<ResGcn>,
       convolution_reads(), ResGcn::defaults(), &ResGcn::check},
      {"link",
       "LINK: logistic regression on rows of the adjacency",
       &make<Link>,
       {"l2-theta"},
       Link::defaults(),
       nullptr,
       /*is_per_node=*/true},
      {"label_propagation",
       "training labels spread over the graph",
       &make<LabelPropagation>,
       {"hops", "alpha"},
       LabelPropagation::defaults()},
      {"unimp",
       "UniMP: graph transformer that is told some of the labels",
       &make<UniMp>,
       {"layers", "hidden", "heads", "label-rate", "dropout-theta",
        "dropout-xi", "l2-xi"},
       UniMp::defaults(),
       &UniMp::check},
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
  throw UsageError(unknown_name_message("model", name, model_names()));
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
