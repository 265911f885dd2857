#include "scale/ranks/part_team.h"

#include <algorithm>

namespace ordered_gnn::scale {

PartTeam::PartTeam(int64_t parts, int64_t threads, int64_t passes)
    : turns_(std::min(parts, threads)),
      parts_(parts),
      all_(passes * parts),
      threads_(all_, std::max<int64_t>(1, threads / parts),
               [this](int64_t index) { work(index); }) {}

void PartTeam::run(const std::function<void(int64_t)>& body,
                   const std::function<void()>& on_failure, int64_t passes) {
  std::unique_lock<std::mutex> lock(mutex_);
  body_ = &body;
  on_failure_ = &on_failure;
  failure_ = nullptr;
  active_ = passes * parts_;
  // Those of passes that are not made are waited for, too: none may come late
  // and take the next run for this one.
  working_ = all_;
  threads_.start();
  done_.wait(lock, [this] { return working_ == 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void PartTeam::pause() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++turns_;
  }
  turn_.notify_one();
}

void PartTeam::resume() {
  std::unique_lock<std::mutex> lock(mutex_);
  turn_.wait(lock, [this] { return turns_ > 0; });
  --turns_;
}

void PartTeam::wait(std::unique_lock<std::mutex>& lock,
                    std::condition_variable& changed,
                    const std::function<bool()>& is_so) {
  if (is_so()) return;
  lock.unlock();
  pause();
  lock.lock();
  changed.wait(lock, is_so);
  lock.unlock();
  resume();
  lock.lock();
}

void PartTeam::finish_one(std::exception_ptr failure) {
  bool is_first = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_first = failure && !failure_;
    if (is_first) failure_ = failure;
  }
  if (is_first) (*on_failure_)();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--working_ == 0) done_.notify_all();
}

void PartTeam::work(int64_t index) {
  if (index >= active_) {
    finish_one(nullptr);
    return;
  }
  resume();
  std::exception_ptr failure;
  try {
    (*body_)(index);
  } catch (...) {
    failure = std::current_exception();
  }
  pause();
  finish_one(failure);
}

}  // namespace ordered_gnn::scale
