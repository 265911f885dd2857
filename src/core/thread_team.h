#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// Says to the core that this thread looks at something again and again.
inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Threads that help the one that made them. That one never waits for a helper
/// that did not come: it takes the blocks that nobody has taken, and waits for
/// blocks under way alone, so that on a busy machine work goes on at the pace
/// of whoever is running. A helper without work looks for some for a moment and
/// then sleeps.
class ThreadTeam : NonCopyable {
 public:
  /// `prepare` is called first by every helper, one after the other, with its
  /// number: 1, 2, ...
  explicit ThreadTeam(std::function<void(int)> prepare);
  /// Lets the helpers go. Not for a team that is_here() no more.
  ~ThreadTeam();

  /// Calls body(block) once for every block in [0, num_blocks), on this thread
  /// and at most `helpers` others; fewer where the system gives no more
  /// threads. The first exception ends it and is thrown again here. For one
  /// thread at a time, which is no helper.
  void run(int64_t num_blocks, int helpers,
           const std::function<void(int64_t)>& body);

  /// False in a process that was forked since, where its helpers are no more.
  bool is_here() const;

 private:
  void add_helpers(size_t count);
  void help(int number);
  bool wait_for_work(uint64_t seen);
  bool has_work(uint64_t seen) const;
  void take_blocks() noexcept;
  void open();
  void close();
  void leave();

  const std::function<void(int)> prepare_;
  const int64_t forks_;
  std::vector<std::thread> threads_;
  std::atomic<bool> spins_{true};

  // The job, written while it is closed and nobody is inside.
  const std::function<void(int64_t)>* body_ = nullptr;
  int64_t num_blocks_ = 0;
  // Taken from by all: a line of the cache of its own, since others look at
  // what is beside it.
  alignas(64) std::atomic<int64_t> next_{0};
  std::atomic<int> seats_{0};
  std::exception_ptr failure_;

  // Odd while a job is open. Whoever enters first says so and then looks
  // whether it is; whoever closes looks then who is inside: one of them sees
  // the other.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  std::atomic<int> inside_{0};
  std::atomic<int> asleep_{0};
  std::atomic<bool> owner_waits_{false};
  std::atomic<bool> ends_{false};
  std::mutex mutex_, preparing_;
  std::condition_variable work_, done_;
};

}  // namespace ordered_gnn::core
