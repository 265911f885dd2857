#include "support/datasets.h"

#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {

RunOptions short_run(const std::string& model, int64_t epochs) {
  return run_options_from_json({{"model", model},
                                {"layers", 2},
                                {"hidden", 16},
                                {"epochs", epochs},
                                {"patience", epochs}});
}

RunOptions tiny_run() {
  RunOptions options = short_run("ordered_gnn", 12);
  options.data.data =
      "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&homophily=0.7"
      "&signal=2&splits=3&seed=1";
  options.train.lr = 0.01;
  return options;
}

std::shared_ptr<NodeModel> model_for(const NodeDataset& data,
                                     const RunOptions& options, int64_t seed) {
  return create_model(
      options.model,
      {data.features.num_features(), data.num_classes, data.features.kind()},
      options.network, seed);
}

}  // namespace ordered_gnn
