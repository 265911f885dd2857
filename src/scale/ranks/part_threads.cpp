#include "scale/ranks/part_threads.h"

#include <optional>
#include <utility>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::scale {

PartThreads::PartThreads(int64_t parts, int64_t threads,
                         std::function<void(int64_t)> work)
    : threads_of_part_(threads), work_(std::move(work)) {
  for (int64_t p = 0; p < parts; ++p) {
    threads_.emplace_back([this, p] { serve(p); });
  }
}

PartThreads::~PartThreads() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  started_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PartThreads::start() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++generation_;
  }
  started_.notify_all();
}

void PartThreads::serve(int64_t part) {
  const ThreadScope threads(threads_of_part_);
  std::optional<SerialScope> serial;
  if (threads_of_part_ == 1) serial.emplace();
  int64_t seen = 0;
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      started_.wait(lock, [&] { return ends_ || generation_ != seen; });
      if (ends_) return;
      seen = generation_;
    }
    work_(part);
  }
}

}  // namespace ordered_gnn::scale
