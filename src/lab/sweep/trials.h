#pragma once
#include <string>
#include <vector>

#include "lab/runs/run_log.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn::lab {

/// The trials of a sweep, each with the runs it consists of.
class Trials {
 public:
  explicit Trials(const std::vector<Setting>& settings);

  /// Gives a trial the runs of a rung.
  void plan(int64_t number, int64_t rung, std::vector<std::string> keys);

  /// Counts the runs of a trial that the log has.
  void count(int64_t number, const RunLog& log, Metric metric);

  /// Those of `numbers` with the best objectives, at most `most`, in rising
  /// order of their numbers.
  std::vector<int64_t> best_of(std::vector<int64_t> numbers,
                               int64_t most) const;

  const TrialResult& operator[](int64_t number) const {
    return results_[static_cast<size_t>(number)];
  }
  const std::vector<std::string>& keys(int64_t number) const {
    return keys_[static_cast<size_t>(number)];
  }
  const std::vector<TrialResult>& results() const { return results_; }

 private:
  std::vector<TrialResult> results_;
  std::vector<std::vector<std::string>> keys_;
};

/// The order of ranked().
bool ranks_before(const TrialResult& a, const TrialResult& b);

}  // namespace ordered_gnn::lab
