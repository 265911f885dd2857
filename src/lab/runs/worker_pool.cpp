#include "lab/runs/worker_pool.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "ordered_gnn/train/train.h"

namespace ordered_gnn::lab {
namespace {

class WorkerPool {
 public:
  WorkerPool(int64_t count, const std::function<void(int64_t)>& body)
      : count_(count), body_(body) {}

  void work() {
    while (const std::optional<int64_t> index = take()) {
      try {
        body_(*index);
      } catch (const Interrupted&) {
        note_failure(*index, std::current_exception(), /*is_wish=*/true);
      } catch (...) {
        note_failure(*index, std::current_exception(), /*is_wish=*/false);
      }
    }
  }

  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // One lock for both questions: an index once handed out is run, so that no
  // index below a failed one is left out.
  std::optional<int64_t> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_ || next_ >= count_) return std::nullopt;
    return next_++;
  }

  void note_failure(int64_t index, std::exception_ptr failure, bool is_wish) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool gives_way =
        is_wish == is_wish_ ? index > failed_index_ : is_wish;
    if (failure_ && gives_way) return;
    failed_index_ = index;
    is_wish_ = is_wish;
    failure_ = std::move(failure);
  }

  const int64_t count_;
  const std::function<void(int64_t)>& body_;
  std::mutex mutex_;
  int64_t next_ = 0;
  int64_t failed_index_ = 0;
  bool is_wish_ = false;  ///< the failure is an Interrupted
  std::exception_ptr failure_;
};

}  // namespace

void run_on_workers(int64_t workers, int64_t count,
                    const std::function<void(int64_t)>& body) {
  WorkerPool pool(count, body);
  const int64_t helpers = std::max<int64_t>(0, std::min(workers, count) - 1);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(helpers));
  try {
    for (int64_t i = 0; i < helpers; ++i) {
      threads.emplace_back([&pool] { pool.work(); });
    }
  } catch (...) {
    // The system gives no further thread: those that started do the work.
  }
  pool.work();
  for (std::thread& thread : threads) thread.join();
  pool.rethrow_failure();
}

}  // namespace ordered_gnn::lab
