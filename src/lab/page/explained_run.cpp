#include "lab/page/explained_run.h"

namespace ordered_gnn::lab {

ExplainedModel explained_run(const std::filesystem::path& checkpoint,
                             const ExplainOptions& options) {
  const Trained loaded = load_trained(checkpoint);
  const NodeDataset data =
      match_classes(loaded, load_training_data(loaded).data,
                    UnknownClasses::refuse, checkpoint)
          .data;
  return explain_checkpoint(loaded, data, checkpoint, options);
}

}  // namespace ordered_gnn::lab
