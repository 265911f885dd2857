#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

/// A thread for every part of a graph, which waits until there is work.
class PartThreads : NonCopyable {
 public:
  /// @param threads  of the loops of one part, at least 1.
  /// @param work     of a part, on its thread; throws nothing.
  PartThreads(int64_t parts, int64_t threads,
              std::function<void(int64_t)> work);
  /// When nobody works.
  ~PartThreads();

  /// Calls work(part) once for every part, and does not wait for it. The last
  /// work must have ended.
  void start();

 private:
  void serve(int64_t part);

  const int64_t threads_of_part_;
  const std::function<void(int64_t)> work_;
  std::mutex mutex_;
  std::condition_variable started_;
  int64_t generation_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace ordered_gnn::scale
