#pragma once
#include <functional>
#include <memory>

#include "lab/runs/stop_request.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::lab {

/// Loads the data of the options and puts what "auto" settings stand for in
/// their place: its treatment, and the form of splits that were drawn because
/// it has none.
/// @param on_raw  is shown the data before it is treated; may be empty.
NodeDataset load_with_treatment(
    RunOptions& options,
    const std::function<void(const RawDataset&)>& on_raw = nullptr);

/// Trains one split of a run.
using TrainSplit = std::function<RunResult(
    int64_t split, const RunOptions& options, const TrainHooks& hooks)>;

/// The copy that all runs of these options share on their device and in their
/// order; null where the data is used as it is.
std::unique_ptr<NodeDataset> place_shared(const NodeDataset& data,
                                          const RunOptions& options);

/// train_split() as one of `options.execution.workers` workers, which share the
/// cores unless it is the only one; one that computes on a GPU or elsewhere has
/// a thread. What is written does not name the neighbours.
/// @param stop  ends the run when it is made, in place of hooks.should_stop;
///              may be null.
/// @param train  computes elsewhere than on `data`; null: on it.
RunResult train_as_worker(const NodeDataset& data, int64_t split,
                          RunOptions options, TrainHooks hooks,
                          StopRequest* stop, const TrainSplit& train = nullptr);

}  // namespace ordered_gnn::lab
