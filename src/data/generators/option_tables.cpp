#include "data/generators/csbm.h"
#include "data/generators/customers.h"
#include "data/generators/shaped_graph.h"
#include "data/generators/small_world.h"

namespace ordered_gnn::data {
namespace {

constexpr const char* kGraphGroup = "Graph";
constexpr const char* kFeatureGroup = "Features";
constexpr const char* kSplitGroup = "Splits";

template <typename O>
Option<O> signal_row() {
  return in_range(option<O>("signal", kFeatureGroup, &O::signal,
                            "distance of the class means in units of the "
                            "noise"),
                  0, 1000);
}

// Splits, and the seed of everything.
template <typename O>
void append_split_rows(std::vector<Option<O>>& table) {
  table.push_back(in_range(
      option<O>("splits", kSplitGroup, &O::splits, "number of random splits"),
      0, 10000));
  table.push_back(in_range(
      option<O>("train", kSplitGroup, &O::train, "share of training nodes"), 0,
      1));
  table.push_back(
      in_range(option<O>("val", kSplitGroup, &O::val,
                         "share of validation nodes; test is the rest"),
               0, 1));
  table.push_back(option<O>("seed", kGraphGroup, &O::seed,
                            "seed of everything that is drawn"));
}

std::vector<Option<CsbmOptions>> make_csbm_table() {
  using O = CsbmOptions;
  std::vector<Option<O>> table = {
      in_range(option<O>("nodes", kGraphGroup, &O::nodes, "number of nodes"), 2,
               1e8),
      in_range(option<O>("classes", kGraphGroup, &O::classes,
                         "number of classes, of equal size"),
               1, 1000),
      in_range(option<O>("features", kFeatureGroup, &O::features,
                         "number of features"),
               1, 1e5),
      in_range(option<O>("degree", kGraphGroup, &O::degree,
                         "mean number of neighbours"),
               0, 1e5),
      in_range(option<O>("homophily", kGraphGroup, &O::homophily,
                         "probability that an edge joins nodes of one class"),
               0, 1),
      in_range(option<O>("degree_spread", kGraphGroup, &O::degree_spread,
                         "0: near equal degrees; larger: heavier tail"),
               0, 3),
      signal_row<O>(),
      option<O>("directed", kGraphGroup, &O::directed,
                "edges have a direction"),
      option<O>("sparse", kFeatureGroup, &O::sparse,
                "sparse 0/1 features, not Gaussian ones"),
      in_range(option<O>("density", kFeatureGroup, &O::density,
                         "share of non-zero features when sparse"),
               0, 1),
  };
  append_split_rows(table);
  return table;
}

std::vector<Option<SmallWorldOptions>> make_small_world_table() {
  using O = SmallWorldOptions;
  std::vector<Option<O>> table = {
      in_range(option<O>("nodes", kGraphGroup, &O::nodes, "number of nodes"), 3,
               1e8),
      in_range(option<O>("classes", kGraphGroup, &O::classes,
                         "number of classes, arcs of the ring"),
               1, 1000),
      in_range(option<O>("features", kFeatureGroup, &O::features,
                         "number of features"),
               1, 1e5),
      in_range(option<O>("degree", kGraphGroup, &O::degree,
                         "neighbours of a node, half of them on either side"),
               2, 1000),
      in_range(option<O>("far", kGraphGroup, &O::far,
                         "probability that an edge leads anywhere"),
               0, 1),
      signal_row<O>(),
  };
  append_split_rows(table);
  return table;
}

std::vector<Option<ShapedGraphOptions>> make_shaped_graph_table() {
  std::vector<Option<ShapedGraphOptions>> table = {
      signal_row<ShapedGraphOptions>()};
  append_split_rows(table);
  return table;
}

std::vector<Option<CustomerOptions>> make_customer_table() {
  using O = CustomerOptions;
  return {in_range(option<O>("customers", kGraphGroup, &O::customers,
                             "number of customers"),
                   100, 1e7),
          in_range(option<O>("labelled", kGraphGroup, &O::labelled,
                             "share of customers whose churn is known"),
                   0, 1),
          in_range(option<O>("gaps", kFeatureGroup, &O::gaps,
                             "share of missing cells in columns with gaps"),
                   0, 1),
          option<O>("seed", kGraphGroup, &O::seed,
                    "seed of everything that is drawn")};
}

}  // namespace

const std::vector<Option<CsbmOptions>>& csbm_option_table() {
  static const std::vector<Option<CsbmOptions>> table = make_csbm_table();
  return table;
}

const std::vector<Option<SmallWorldOptions>>& small_world_option_table() {
  static const std::vector<Option<SmallWorldOptions>> table =
      make_small_world_table();
  return table;
}

const std::vector<Option<ShapedGraphOptions>>& shaped_graph_option_table() {
  static const std::vector<Option<ShapedGraphOptions>> table =
      make_shaped_graph_table();
  return table;
}

const std::vector<Option<CustomerOptions>>& customer_option_table() {
  static const std::vector<Option<CustomerOptions>> table =
      make_customer_table();
  return table;
}

}  // namespace ordered_gnn::data
