#include "lab/runs/demo.h"

namespace ordered_gnn::lab {

const std::vector<DemoGraph>& demo_graphs() {
  static const std::vector<DemoGraph> graphs = {
      {"homophilous",
       "synthetic:csbm?nodes=1500&classes=5&features=32&degree=6&homophily=0.7"
       "&signal=1.4&splits=3&seed=7",
       "neighbours mostly share the class, features are weak: the graph "
       "carries the signal"},
      {"heterophilous",
       "synthetic:csbm?nodes=1500&classes=5&features=32&degree=6&homophily=0.2"
       "&signal=4&splits=3&seed=7",
       "neighbours have random classes, features are strong: listening to "
       "neighbours hurts"},
  };
  return graphs;
}

const std::vector<DemoSystem>& demo_systems() {
  static const std::vector<DemoSystem> systems = {
      {"MLP", {{"model", "mlp"}}},
      {"plain GNN", {{"model", "ordered_gnn"}, {"gating", "none"}}},
      {"Ordered GNN", {{"model", "ordered_gnn"}}},
  };
  return systems;
}

RunOptions demo_options(const DemoGraph& graph, const DemoSystem& system) {
  // One set of hyper-parameters for all: nothing is tuned per cell.
  RunOptions options = run_options_from_json({{"layers", 4},
                                              {"hidden", 64},
                                              {"chunk", 4},
                                              {"dropout-theta", 0.3},
                                              {"dropout-xi", 0.1},
                                              {"lr", 0.005},
                                              {"epochs", 300},
                                              {"patience", 60},
                                              {"splits", "all"}});
  options.data.data = graph.spec;
  apply_json(run_option_table(), system.options, options);
  return options;
}

}  // namespace ordered_gnn::lab
