#include "lab/page/explained_run.h"

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::lab {

ExplainedModel explained_run(const std::filesystem::path& checkpoint,
                             const ExplainOptions& options) {
  const Checkpoint loaded = load_checkpoint(checkpoint);
  const NodeDataset data = load_dataset(loaded.options.data);
  require_fit(loaded, data, checkpoint);
  return explain_checkpoint(loaded, data, checkpoint, options);
}

}  // namespace ordered_gnn::lab
