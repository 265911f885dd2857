#include "train/recording_turns.h"

namespace ordered_gnn::training {

RecordingTurns::Turn RecordingTurns::record() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++recording_;
  changed_.wait(lock, [this] { return !taken_ && giving_up_ == 0; });
  taken_ = taken_to_record_ = true;
  return Turn(*this);
}

RecordingTurns::Turn RecordingTurns::give_up() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++giving_up_;
  changed_.wait(lock, [this] { return !taken_; });
  --giving_up_;
  taken_ = true;
  return Turn(*this);
}

void RecordingTurns::stand_back(std::chrono::milliseconds most) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, most, [this] { return recording_ == 0; });
}

int64_t RecordingTurns::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return recording_ - (taken_to_record_ ? 1 : 0) + giving_up_;
}

void RecordingTurns::give_back() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (taken_to_record_) --recording_;
  taken_ = taken_to_record_ = false;
  changed_.notify_all();
}

}  // namespace ordered_gnn::training
