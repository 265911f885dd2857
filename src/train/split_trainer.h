#pragma once
#include <chrono>
#include <functional>
#include <memory>

#include "ordered_gnn/train/train.h"
#include "train/epochs.h"
#include "train/run_folder.h"
#include "train/train_step.h"

namespace ordered_gnn::training {

/// Where a run computes when that is not on data in memory.
struct ElsewhereWork {
  ModelShape shape;  ///< of the model, as the whole of the data has it
  std::function<std::unique_ptr<TrainingWork>(NodeModel& model)> make_work;
};

/// What is trained; all but the model and the options must outlive the trainer.
struct SplitTask {
  std::shared_ptr<NodeModel> own_model;  ///< null: the one that options name
  const NodeDataset& data;
  int64_t split;
  RunOptions options;  ///< validated; data.treatment is that of the data
  const TrainHooks& hooks;
  /// Null: `data` is what is trained on. Otherwise `data` holds the nodes that
  /// are scored, numbered as TrainingWork::evaluate() gives them, with labels
  /// and splits, and all that is told of the data.
  const ElsewhereWork* elsewhere = nullptr;
};

/// One run of train(): epochs until they or the patience end, the files of the
/// folder, the best epoch.
class SplitTrainer {
 public:
  /// @throws Error when the split cannot be trained on.
  explicit SplitTrainer(SplitTask task);

  Trained run();

 private:
  using Clock = std::chrono::steady_clock;

  ModelShape placed_shape() const;
  std::unique_ptr<TrainingWork> make_work();
  std::shared_ptr<NodeModel> make_model() const;
  bool finished() const;
  void run_epochs();
  double seconds() const;
  void restore();
  void note(const std::string& sentence) const;
  void add(const EpochOutcome& outcome, double seconds);
  void tell(const EpochOutcome& outcome, double seconds);
  void stop_when_asked();
  void save_when_due();
  void save();
  Trained about() const;
  Trained finished_before(const RunResult& result) const;
  SplitScores all_scores(const at::Tensor& logits) const;
  void complete_scores(RunResult& result);
  void correct_scores(RunResult& result);
  Trained finish();

  const SplitTask task_;
  const NodeDataset& data_;
  const TrainOptions& train_;
  const ModelShape shape_;
  const std::unique_ptr<NodeDataset> copy_;  ///< on another device than data_
  const NodeDataset& placed_;                ///< on the model's device
  std::shared_ptr<NodeModel> model_;
  std::unique_ptr<TrainingWork> work_;
  const Json identity_;
  RunFolder folder_;
  const std::string data_path_;  ///< see Trained
  std::unique_ptr<Epochs> epochs_;
  TrainingState state_;
  double earlier_seconds_ = 0;
  Clock::time_point start_;
  Clock::time_point last_save_;
};

}  // namespace ordered_gnn::training
