#include "lab/sweep/trials.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/report/score_text.h"

namespace ordered_gnn::lab {

int64_t num_failed(const std::vector<TrialResult>& trials) {
  return std::count_if(
      trials.begin(), trials.end(),
      [](const TrialResult& trial) { return trial.failed > 0; });
}

double TrialResult::objective() const {
  const bool counts = planned > 0 && runs == planned;
  return counts ? val.mean : std::numeric_limits<double>::quiet_NaN();
}

std::string TrialResult::score() const {
  return score_text(reported(objective(), metric), metric);
}

std::vector<TrialResult> ranked(std::vector<TrialResult> trials) {
  std::sort(trials.begin(), trials.end(), ranks_before);
  return trials;
}

bool ranks_before(const TrialResult& a, const TrialResult& b) {
  const double a_score = a.objective(), b_score = b.objective();
  const bool a_counts = std::isfinite(a_score);
  if (a_counts != std::isfinite(b_score)) return a_counts;
  if (a.rung != b.rung) return a.rung > b.rung;
  if (a_counts && a_score != b_score) return a_score > b_score;
  return a.number < b.number;
}

Trials::Trials(const std::vector<Setting>& settings) : keys_(settings.size()) {
  for (size_t i = 0; i < settings.size(); ++i) {
    TrialResult trial;
    trial.number = static_cast<int64_t>(i);
    trial.setting = settings[i];
    results_.push_back(std::move(trial));
  }
}

void Trials::plan(int64_t number, int64_t rung, std::vector<std::string> keys) {
  TrialResult& trial = results_[static_cast<size_t>(number)];
  trial.rung = rung;
  trial.planned = static_cast<int64_t>(keys.size());
  keys_[static_cast<size_t>(number)] = std::move(keys);
}

void Trials::count(int64_t number, const RunLog& log, Metric metric) {
  TrialResult& trial = results_[static_cast<size_t>(number)];
  trial.metric = metric;
  trial.runs = trial.failed = 0;
  trial.seconds = 0;
  trial.error.clear();
  std::vector<RunScore> scores;
  for (const std::string& key : keys(number)) {
    const LoggedRun* const run = log.find(key);
    if (run == nullptr) continue;
    trial.seconds += run->seconds;
    if (run->result) {
      ++trial.runs;
      scores.push_back({run->split, run->options.train.seed,
                        select(run->result->val, metric)});
    } else {
      if (trial.failed == 0) trial.error = run->error;
      ++trial.failed;
    }
  }
  trial.val = describe_runs(scores);
}

std::vector<int64_t> Trials::best_of(std::vector<int64_t> numbers,
                                     int64_t most) const {
  numbers.erase(
      std::remove_if(numbers.begin(), numbers.end(),
                     [this](int64_t number) {
                       return !std::isfinite((*this)[number].objective());
                     }),
      numbers.end());
  std::sort(numbers.begin(), numbers.end(), [this](int64_t a, int64_t b) {
    return ranks_before((*this)[a], (*this)[b]);
  });
  if (static_cast<int64_t>(numbers.size()) > most) {
    numbers.resize(static_cast<size_t>(most));
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace ordered_gnn::lab
