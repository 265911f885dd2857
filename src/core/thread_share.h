#pragma once
#include <atomic>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {

/// While it lives, the thread that made it is one of those that share the
/// machine's threads: parallel_blocks() uses its share of `total` there,
/// LibTorch's own loops and the BLAS run serially. The threads that share have
/// total / n each, the first ones one more where that leaves some; shares grow
/// when one of them ends. Ends on the thread it began on; one to a thread.
class ThreadShare : NonCopyable {
 public:
  /// @param total  threads to share, at least 1; the same for all.
  /// @param most   threads that are of use to this one.
  ThreadShare(int total, int most);
  ~ThreadShare();

  /// At least 1, and no more than are of use.
  int threads() const;

  /// What this thread's loops share; null outside of any.
  static const ThreadShare* of_this_thread();

 private:
  static void deal();

  const ThreadScope torch_;
  const int total_, most_;
  std::atomic<int> threads_{1};
};

}  // namespace ordered_gnn::core
