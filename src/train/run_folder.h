#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/train/train.h"
#include "train/model_state.h"

namespace ordered_gnn::training {

/// Everything a run needs to go on as if it had never stopped.
struct TrainingState {
  int64_t epoch = 0;
  int64_t best_epoch = 0;
  Scores best_train, best_val, best_test;
  double seconds = 0;
  /// Of the data; states of earlier versions do not say.
  std::optional<std::vector<std::string>> class_names;
  TensorMap model;
  TensorMap average;  ///< see WeightAverage; empty without
  TensorMap best;
  TensorMap moments;
  bool is_verified = false;  ///< its file had a checksum
};

/// The files of one run. With an empty path every call does nothing.
class RunFolder {
 public:
  /// Makes the folder and deletes what a killed run left half written in it.
  RunFolder(std::filesystem::path path, const Json& config);

  bool active() const { return !path_.empty(); }
  std::filesystem::path checkpoint_file() const;

  /// The result of a run that ended in this folder.
  /// @throws Error when it is damaged.
  std::optional<RunResult> finished() const;
  /// @param epochs  the most that the run may have.
  /// @throws Error when the state was made with other settings or is damaged:
  ///         also when it has more epochs, a best epoch that is not among them,
  ///         less than no time, or weights that are no numbers.
  std::optional<TrainingState> load(int64_t epochs) const;

  /// Opens `metrics.jsonl` with the lines up to `epoch`, those a killed run
  /// wrote after its last saved state dropped.
  /// @return  how many damaged lines between them were left out.
  int64_t open_metrics(int64_t epoch);
  void add_metrics(const EpochReport& report);

  void save_state(const TrainingState& state) const;
  void finish(const RunResult& result) const;

 private:
  std::filesystem::path path_;
  std::string config_;
  std::ofstream metrics_;
};

}  // namespace ordered_gnn::training
