#pragma once
#include <chrono>
#include <vector>

#include "lab/sweep/rungs.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn::lab {

/// Keeps count of how far a sweep is and how long it will take.
class SweepMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param start  of the sweep, reading the data included.
  /// @param seeds  with which every split is run.
  SweepMeter(Clock::time_point start, std::vector<Rung> rungs, int64_t seeds,
             int64_t workers);

  /// A run of the plan that was in the log.
  void add_earlier(bool failed);

  /// A rung begins with so many trials: fewer than planned when some failed.
  void begin_rung(int64_t index, int64_t trials);

  /// A run of the current rung has ended.
  void add(const BatchProgress& batch);

  /// A trial that is complete, perhaps the best so far.
  void offer(const TrialResult& trial);

  const SweepProgress& progress() const { return progress_; }
  double seconds() const;
  double training_share() const;

 private:
  int64_t runs_in(size_t rung) const;
  double cost_of(size_t rung) const;

  const Clock::time_point start_;
  std::vector<Rung> rungs_;
  const int64_t seeds_;
  const int64_t workers_;
  double cost_left_ = 0;         ///< of the rungs after this one
  double training_seconds_ = 0;  ///< in the rungs before this one
  BatchProgress batch_;          ///< of this rung
  SweepProgress progress_;
  int64_t done_before_ = 0;
  int64_t failed_before_ = 0;
};

}  // namespace ordered_gnn::lab
