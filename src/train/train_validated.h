#pragma once
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::training {

/// @throws UsageError or Error unless the data has that split and it can be
///         trained on.
void require_split(const NodeDataset& data, int64_t split);

/// train() of options that validate() has seen: for whoever trains many splits
/// with the same ones.
Trained train_validated(const NodeDataset& data, int64_t split,
                        const RunOptions& options, const TrainHooks& hooks);

struct ElsewhereWork;

/// The same of a run that computes elsewhere than on data in memory.
/// @param scored  the nodes that are scored, see SplitTask::elsewhere.
Trained train_elsewhere(const NodeDataset& scored, int64_t split,
                        const RunOptions& options, const TrainHooks& hooks,
                        const ElsewhereWork& elsewhere);

}  // namespace ordered_gnn::training
