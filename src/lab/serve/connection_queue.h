#pragma once
#include <httplib.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ordered_gnn::lab {

/// Whether the connection of this thread is one too many, to be told so.
inline thread_local bool is_refused_connection = false;

/// Gives every connection a thread while there are not too many of them; some
/// threads more tell those that are that there are. When these are busy too no
/// more is accepted, and the system lets connections wait.
class ConnectionQueue : public httplib::TaskQueue {
 public:
  explicit ConnectionQueue(int64_t most) : most_(most) {
    threads_.emplace_back([this] { run(); });
  }

  void enqueue(std::function<void()> connection) override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.size() < kMostWaiting; });
    waiting_.push_back(std::move(connection));
    const auto threads = static_cast<int64_t>(threads_.size());
    if (idle_ < static_cast<int64_t>(waiting_.size()) &&
        threads < most_ + kRefusing) {
      add_thread();
    }
    changed_.notify_all();
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  static constexpr size_t kMostWaiting = 16;
  static constexpr int64_t kRefusing = 4;

  // Where the system has no thread to give, connections wait for those that
  // are there; the first is made before any client can wish for one.
  void add_thread() {
    try {
      threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
    }
  }

  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      ++idle_;
      changed_.wait(lock, [&] { return is_ending_ || !waiting_.empty(); });
      --idle_;
      if (waiting_.empty()) return;
      const std::function<void()> connection = std::move(waiting_.front());
      waiting_.pop_front();
      is_refused_connection = ++open_ > most_;
      lock.unlock();
      changed_.notify_all();
      connection();
      lock.lock();
      --open_;
    }
  }

  const int64_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  int64_t idle_ = 0;
  int64_t open_ = 0;
  bool is_ending_ = false;
};

}  // namespace ordered_gnn::lab
