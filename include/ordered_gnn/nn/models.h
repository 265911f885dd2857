#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn {

/// One line of the table of models.
struct ModelEntry {
  std::string name;
  std::string summary;
  std::shared_ptr<NodeModel> (*make)(const ModelShape& shape,
                                     const OrderedGnnOptions& options,
                                     int64_t seed);
};

/// Every model: `--model`, `ognn models`, errors and tests read this table.
const std::vector<ModelEntry>& model_table();
std::vector<std::string> model_names();

/// @throws UsageError naming the known models, or the option that does not fit.
std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const OrderedGnnOptions& options,
                                        int64_t seed);

}  // namespace ordered_gnn
