#include "core/thread_team.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "core/cpu_topology.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

// Longer than the serial pieces between the loops of an epoch mostly are, and
// shorter than the share of time a system gives to a process.
constexpr std::chrono::microseconds kSpin{100};
constexpr int kLooksPerClock = 16;

std::atomic<int64_t> fork_count{0};

int64_t forks_so_far() {
  static const int registered =
      ::pthread_atfork(nullptr, nullptr, [] { ++fork_count; });
  static_cast<void>(registered);
  return fork_count;
}

template <typename Condition>
bool spin_until(const Condition& holds) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < kLooksPerClock; ++i) {
      if (holds()) return true;
      pause_briefly();
    }
  } while (std::chrono::steady_clock::now() < end);
  return holds();
}

bool is_open(uint64_t ticket) { return ticket % 2 == 1; }

}  // namespace

ThreadTeam::ThreadTeam(std::function<void(int)> prepare)
    : prepare_(std::move(prepare)), forks_(forks_so_far()) {}

bool ThreadTeam::is_here() const { return forks_ == fork_count; }

ThreadTeam::~ThreadTeam() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::run(int64_t num_blocks, int helpers,
                     const std::function<void(int64_t)>& body) {
  add_helpers(static_cast<size_t>(helpers));
  body_ = &body;
  num_blocks_ = num_blocks;
  next_ = 0;
  seats_ = helpers;
  failure_ = nullptr;
  open();
  take_blocks();
  close();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadTeam::add_helpers(size_t count) {
  if (threads_.size() >= count) return;
  spins_ = static_cast<int>(count) < topology().within_quota(available_cores());
  try {
    while (threads_.size() < count) {
      const auto number = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, number] { help(number); });
    }
  } catch (const std::system_error&) {
    // No more to be had: those that there are do the work.
  }
}

void ThreadTeam::open() {
  ++ticket_;
  if (asleep_ == 0) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }
  work_.notify_all();
}

// Blocks are all taken; waits until those under way are done.
void ThreadTeam::close() {
  ++ticket_;
  const auto all_left = [this] { return inside_ == 0; };
  if (all_left() || (spins_ && spin_until(all_left))) return;
  std::unique_lock<std::mutex> lock(mutex_);
  owner_waits_ = true;
  done_.wait(lock, all_left);
  owner_waits_ = false;
}

void ThreadTeam::leave() {
  if (--inside_ > 0 || !owner_waits_) return;
  { const std::lock_guard<std::mutex> lock(mutex_); }
  done_.notify_one();
}

void ThreadTeam::take_blocks() noexcept {
  for (int64_t block = next_++; block < num_blocks_; block = next_++) {
    try {
      (*body_)(block);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      next_ = num_blocks_;
    }
  }
}

void ThreadTeam::help(int number) {
  {
    const std::lock_guard<std::mutex> lock(preparing_);
    prepare_(number);
  }
  uint64_t seen = 0;
  while (wait_for_work(seen)) {
    ++inside_;
    seen = ticket_;
    if (is_open(seen) && seats_-- > 0) take_blocks();
    leave();
  }
}

bool ThreadTeam::has_work(uint64_t seen) const {
  const uint64_t ticket = ticket_;
  return ends_ || (is_open(ticket) && ticket != seen);
}

bool ThreadTeam::wait_for_work(uint64_t seen) {
  const auto ready = [&] { return has_work(seen); };
  if (!spins_ || !spin_until(ready)) {
    std::unique_lock<std::mutex> lock(mutex_);
    ++asleep_;
    work_.wait(lock, ready);
    --asleep_;
  }
  return !ends_;
}

}  // namespace ordered_gnn::core
