#include "support/model_cases.h"

namespace ordered_gnn {
namespace {

struct Variant {
  const char* suffix;
  const char* model;
  Json changes;
};

std::vector<Variant> variants() {
  return {
      {"gcn", "ordered_gnn", {{"aggregator", "gcn"}}},
      {"gat", "ordered_gnn", {{"aggregator", "gat"}}},
      {"sum", "ordered_gnn", {{"aggregator", "sum"}}},
      {"max", "ordered_gnn", {{"aggregator", "max"}}},
      {"signed", "ordered_gnn", {{"aggregator", "signed"}}},
      {"transform", "ordered_gnn", {{"transform", "linear"}}},
      {"transform_batch",
       "ordered_gnn",
       {{"transform", "linear"},
        {"candidate-norm", "batch"},
        {"norm", "none"}}},
      {"split", "ordered_gnn", {{"directions", "split"}, {"chunk", 2}}},
      {"split_transform",
       "ordered_gnn",
       {{"directions", "split"},
        {"transform", "linear"},
        {"aggregator", "gcn"},
        {"gating", "ordered"},
        {"chunk", 2}}},
      {"heard",
       "ordered_gnn",
       {{"first-state", "heard"}, {"transform", "linear"}}},
      {"node_ids", "ordered_gnn", {{"node-ids", "id"}}},
      {"adjacency",
       "ordered_gnn",
       {{"node-ids", "adjacency"}, {"transform", "linear"}}},
      {"max", "graphsage", {{"aggregator", "max"}}},
      {"one_layer", "gcn", {{"layers", 1}}},
      {"one_layer", "gat", {{"layers", 1}}},
      {"nppr", "gprgnn", {{"hop-weights", "nppr"}}},
      {"last", "gprgnn", {{"hop-weights", "last"}}},
      {"random", "gprgnn", {{"hop-weights", "random"}}},
      {"max", "jknet", {{"jumping", "max"}}},
      {"lstm", "jknet", {{"jumping", "lstm"}}},
      {"sage", "jknet", {{"convolution", "sage"}}},
      {"one_round", "h2gcn", {{"layers", 1}}},
      {"deep", "incepgcn", {{"layers", 5}}},
      {"one_layer", "unimp", {{"layers", 1}}},
      {"sage", "tuned_gnn", {{"convolution", "sage"}}},
      {"gat", "tuned_gnn", {{"convolution", "gat"}, {"norm", "layer"}}},
      {"plain", "tuned_gnn", {{"residual", false}, {"norm", "none"}}},
      {"sage", "dir_gnn", {{"convolution", "sage"}, {"jumping", "concat"}}},
      {"last", "dir_gnn", {{"jumping", "none"}, {"unit-rows", false}}},
      {"lstm", "dir_gnn", {{"jumping", "lstm"}}},
      {"receivers", "dir_gnn", {{"alpha", 1.0}}},
      {"gcn",
       "acm_gcn",
       // Logits are never below 0: few neurons may all end up there.
       {{"aggregator", "gcn"}, {"layers", 2}, {"hidden", 32}}},
      {"raw", "fsgnn", {{"unit-rows", false}, {"hops", 1}}},
      {"deep", "linkx", {{"layers", 2}, {"mlp-layers", 3}}},
      {"plain", "linkx", {{"mlp-layers", 1}}},
      {"warming_up", "polynormer", {{"local-epochs", 1000}}},
      {"spectral", "geom_gcn", {{"embedding", "spectral"}}},
  };
}

void apply_model_values(const Json& values, ModelOptions& options) {
  Json own = Json::object();
  for (const auto& row : model_option_table()) {
    const auto found = values.find(row.spec.name);
    if (found != values.end()) own[row.spec.name] = *found;
  }
  apply_json(model_option_table(), own, options);
}

ModelOptions small_options(const ModelEntry& entry, const Json& changes) {
  ModelOptions options;
  apply_model_values(entry.defaults, options);
  apply_model_values({{"hidden", 12},
                      {"layers", 3},
                      {"heads", 2},
                      {"output-heads", 2},
                      {"hops", 2},
                      {"local-epochs", 1}},
                     options);
  apply_model_values(changes, options);
  return options;
}

}  // namespace

std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases;
  for (const ModelEntry& entry : model_table()) {
    cases.push_back({entry.name, entry.name, small_options(entry, {})});
  }
  for (const Variant& variant : variants()) {
    const ModelEntry& entry = find_model(variant.model);
    cases.push_back({entry.name + "_" + variant.suffix, entry.name,
                     small_options(entry, variant.changes)});
  }
  return cases;
}

std::vector<ModelCase> learning_cases() {
  std::vector<ModelCase> cases;
  for (const ModelCase& item : model_cases()) {
    const ModelShape shape{2, 2, NodeFeatures::Kind::dense, 2};
    const auto model = create_model(item.model, shape, item.options, 1);
    if (!model->parameters().empty()) cases.push_back(item);
  }
  return cases;
}

void set_small_network(OrderedGnnOptions& options, int64_t hidden) {
  options.layers = 3;
  options.hidden = hidden;
  options.chunk = 4;
  options.mlp_layers = 2;
  options.dropout_theta = 0.3;
  options.dropout_xi = 0.2;
}

void PrintTo(const ModelCase& model, std::ostream* out) { *out << model.name; }

}  // namespace ordered_gnn
