#include <torch/types.h>

#include "core/io/json_reader.h"
#include "fuzz/harness.h"
#include "fuzz/parts.h"
#include "fuzz/targets.h"
#include "lab/serve/change_json.h"
#include "lab/serve/predictions.h"

namespace ordered_gnn {
namespace {

// Three nodes whose features were made of two columns.
data::LiveGraph served_graph(bool is_weighted) {
  RawDataset raw;
  raw.name = "three";
  raw.num_nodes = 3;
  raw.node_names = {"a", "b", "c"};
  raw.edges = torch::tensor({0, 1, 1, 2}, at::kLong).view({2, 2});
  raw.features = NodeFeatures::dense(torch::ones({3, 3}));
  raw.labels = torch::tensor({0, 1, -1}, at::kLong);
  raw.num_classes = 2;
  raw.class_names = {"cat", "dog"};
  Column age, kind;
  age.name = "age";
  age.num_features = 1;
  kind.name = "kind";
  kind.kind = ColumnKind::category;
  kind.categories = {"x", "y"};
  kind.first_feature = 1;
  kind.num_features = 2;
  raw.columns = {age, kind};
  if (is_weighted) raw.edge_weights = torch::tensor({0.5f, 3.f});
  return {raw, prepare(raw, {Direction::as_stored, SelfLoops::add,
                             Treatment::Features::raw})};
}

void try_change(const Json& body, const data::LiveGraph& graph) {
  data::GraphChange change = lab::change_from_json(body, graph, {"wait"});
  data::ChangeEffect effect;
  const data::LiveGraph after = graph.changed(change, {}, effect);
  // What was accepted is logged, and must be read and carried out again.
  fuzz::must_succeed("a change does not come back from the log", [&] {
    data::GraphChange again = lab::change_from_json(
        core::parse_json(lab::to_json(change).dump(), "log"), graph);
    data::ChangeEffect same;
    if (graph.changed(again, {}, same).num_nodes() != after.num_nodes() ||
        same.list_rows != effect.list_rows) {
      fail("another change");
    }
  });
}

}  // namespace

// The bodies of requests to a server.
void fuzz::try_request(std::string_view input) {
  static const data::LiveGraph graph = served_graph(false);
  static const data::LiveGraph weighted = served_graph(true);
  for (const fuzz::Part& part : fuzz::split_parts(input)) {
    const Json body = core::parse_json(part.bytes, part.name);
    if (part.name == "predict.json") {
      lab::prediction_request(body, 100, 2);
    } else {
      try_change(body, part.name == "weighted.json" ? weighted : graph);
    }
  }
}

}  // namespace ordered_gnn
