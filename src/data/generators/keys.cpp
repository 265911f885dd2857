#include "data/generators/keys.h"

namespace ordered_gnn::data {
namespace {

// Helps shared by both tables.
constexpr const char* kSignalHelp =
    "distance of the class means in units of the noise";
constexpr const char* kSplitsHelp = "number of random splits";
constexpr const char* kTrainHelp = "share of training nodes";
constexpr const char* kValHelp = "share of validation nodes; test is the rest";
constexpr const char* kSeedHelp = "seed of everything that is drawn";

}  // namespace

const std::vector<OptionKey<CsbmOptions>>& csbm_keys() {
  using O = CsbmOptions;
  static const std::vector<OptionKey<O>> keys = {
      {"nodes", &O::nodes, 2, 1e8, "number of nodes"},
      {"classes", &O::classes, 1, 1000, "number of classes, of equal size"},
      {"features", &O::features, 1, 1e5, "number of features"},
      {"degree", &O::degree, 0, 1e5, "mean number of neighbours"},
      {"homophily", &O::homophily, 0, 1,
       "probability that an edge joins nodes of one class"},
      {"degree_spread", &O::degree_spread, 0, 3,
       "0: near equal degrees; larger: heavier tail"},
      {"signal", &O::signal, 0, 1000, kSignalHelp},
      {"directed", &O::directed, 0, 1, "edges have a direction"},
      {"sparse", &O::sparse, 0, 1, "sparse 0/1 features, not Gaussian ones"},
      {"density", &O::density, 0, 1, "share of non-zero features when sparse"},
      {"splits", &O::splits, 0, 10000, kSplitsHelp},
      {"train", &O::train, 0, 1, kTrainHelp},
      {"val", &O::val, 0, 1, kValHelp},
      {"seed", &O::seed, 0, 0, kSeedHelp},
  };
  return keys;
}

const std::vector<OptionKey<ShapedGraphOptions>>& shaped_graph_keys() {
  using O = ShapedGraphOptions;
  static const std::vector<OptionKey<O>> keys = {
      {"signal", &O::signal, 0, 1000, kSignalHelp},
      {"splits", &O::splits, 0, 10000, kSplitsHelp},
      {"train", &O::train, 0, 1, kTrainHelp},
      {"val", &O::val, 0, 1, kValHelp},
      {"seed", &O::seed, 0, 0, kSeedHelp},
  };
  return keys;
}

}  // namespace ordered_gnn::data
