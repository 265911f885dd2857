#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

#include "scale/ranks/part_threads.h"

namespace ordered_gnn::scale {

/// A thread for every part of a rank, of which as many work at a time as there
/// are threads to use; the others wait for their turn, as those do that wait
/// for rows of other parts. What a part computes does not depend on that.
class PartTeam {
 public:
  /// @param threads  to use in all, at least 1.
  /// @param passes   over the parts that may run at once: a part has a thread
  ///                 for each, and they share the turns.
  PartTeam(int64_t parts, int64_t threads, int64_t passes = 1);

  /// Calls body(part) on the thread of every part and waits for all. The first
  /// exception is thrown again here; `on_failure` is called as soon as it
  /// happens, so that nobody waits for a part that has ended.
  /// @param passes  at once, at most those of the team; that of pass i calls
  ///                body(i * parts + part).
  void run(const std::function<void(int64_t)>& body,
           const std::function<void()>& on_failure, int64_t passes = 1);

  /// Gives the turn of the calling part's thread to another while it waits.
  void pause();
  void resume();
  /// Waits on `changed` until is_so(), the turn given to another meanwhile.
  void wait(std::unique_lock<std::mutex>& lock,
            std::condition_variable& changed,
            const std::function<bool()>& is_so);

 private:
  void work(int64_t index);
  void finish_one(std::exception_ptr failure);

  std::mutex mutex_;
  std::condition_variable turn_, done_;
  int64_t turns_;  ///< that are left
  const int64_t parts_;
  const int64_t all_;   ///< threads, of all passes
  int64_t active_ = 0;  ///< of them, in this run
  int64_t working_ = 0;
  const std::function<void(int64_t)>* body_ = nullptr;
  const std::function<void()>* on_failure_ = nullptr;
  std::exception_ptr failure_;
  PartThreads threads_;  ///< last: they end before what they use
};

}  // namespace ordered_gnn::scale
