#include "lab/sweep/meter.h"

#include <algorithm>

#include "lab/sweep/trials.h"

namespace ordered_gnn::lab {

SweepMeter::SweepMeter(Clock::time_point start, std::vector<Rung> rungs,
                       int64_t seeds, int64_t workers)
    : start_(start),
      rungs_(std::move(rungs)),
      seeds_(seeds),
      workers_(workers) {
  progress_.trials = rungs_[0].trials;
  progress_.rungs = static_cast<int64_t>(rungs_.size());
}

void SweepMeter::add_earlier(bool failed) {
  ++progress_.runs_done;
  progress_.runs_failed += failed ? 1 : 0;
}

int64_t SweepMeter::runs_in(size_t rung) const {
  return rungs_[rung].trials * rungs_[rung].new_splits * seeds_;
}

double SweepMeter::cost_of(size_t rung) const {
  return static_cast<double>(std::max<int64_t>(1, rungs_[rung].epochs));
}

void SweepMeter::begin_rung(int64_t index, int64_t trials) {
  progress_.rung = index;
  progress_.runs_total = 0;
  cost_left_ = 0;
  for (size_t r = 0; r < rungs_.size(); ++r) {
    const bool past = static_cast<int64_t>(r) < index;
    if (!past) rungs_[r].trials = std::min(rungs_[r].trials, trials);
    progress_.runs_total += runs_in(r);
    if (static_cast<int64_t>(r) > index) {
      cost_left_ += static_cast<double>(runs_in(r)) * cost_of(r);
    }
  }
  training_seconds_ += batch_.training_seconds;
  batch_ = BatchProgress{};
  done_before_ = progress_.runs_done;
  failed_before_ = progress_.runs_failed;
  progress_.seconds = seconds();
}

void SweepMeter::add(const BatchProgress& batch) {
  batch_ = batch;
  progress_.runs_done = done_before_ + batch.done;
  progress_.runs_failed = failed_before_ + batch.failed;
  // What is left of this rung by its own pace, later ones in proportion.
  const double pace = batch.seconds / static_cast<double>(batch.done) /
                      cost_of(static_cast<size_t>(progress_.rung));
  progress_.seconds_left = batch.seconds_left + pace * cost_left_;
  progress_.seconds = seconds();
  progress_.training_share = training_share();
}

void SweepMeter::offer(const TrialResult& trial) {
  if (!progress_.best || ranks_before(trial, *progress_.best)) {
    progress_.best = trial;
  }
}

double SweepMeter::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

double SweepMeter::training_share() const {
  return (training_seconds_ + batch_.training_seconds) / seconds() /
         static_cast<double>(workers_);
}

}  // namespace ordered_gnn::lab
