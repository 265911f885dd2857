#include "nn/entries/model_entry.h"

namespace ordered_gnn {

const std::vector<ModelEntry>& model_table() {
  static const std::vector<ModelEntry> table = [] {
    std::vector<ModelEntry> all;
    for (const auto& part : {nn::own_models(), nn::simple_models(),
                             nn::deep_models(), nn::heterophily_models()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

}  // namespace ordered_gnn
