#include "lab/page/explained_run.h"

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::lab {

ExplainedModel explained_run(const std::filesystem::path& checkpoint,
                             const ExplainOptions& options) {
  const Trained loaded = load_trained(checkpoint);
  const NodeDataset data = load_dataset(data_for(loaded));
  require_fit(loaded, data, checkpoint);
  return explain_checkpoint(loaded, data, checkpoint, options);
}

}  // namespace ordered_gnn::lab
