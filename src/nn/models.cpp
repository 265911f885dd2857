#include "ordered_gnn/nn/models.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/nn/mlp.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn {
namespace {

template <typename Model>
std::shared_ptr<NodeModel> make(const ModelShape& shape,
                                const OrderedGnnOptions& options,
                                int64_t seed) {
  return std::make_shared<Model>(shape, options, seed);
}

}  // namespace

const std::vector<ModelEntry>& model_table() {
  static const std::vector<ModelEntry> table = {
      {"ordered_gnn",
       "Ordered GNN: neurons ordered by hop, gates split ego from neighbours",
       &make<OrderedGnn>},
      {"mlp", "multi-layer perceptron on the node's own features", &make<Mlp>},
  };
  return table;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) names.push_back(entry.name);
  return names;
}

std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const OrderedGnnOptions& options,
                                        int64_t seed) {
  for (const ModelEntry& entry : model_table()) {
    if (entry.name == name) return entry.make(shape, options, seed);
  }
  throw UsageError(unknown_name_message("model", name, model_names()));
}

}  // namespace ordered_gnn
