#include "scale/ranks/local_run.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::scale {
namespace {

// The ranks behind rank 0, on threads of their own.
class LocalRanks : NonCopyable {
 public:
  LocalRanks(LocalHub& hub, int64_t ranks,
             std::function<void(Group& group)> body)
      : hub_(hub), body_(std::move(body)) {
    for (int64_t r = 1; r < ranks; ++r) {
      threads_.emplace_back([this, r] { work(r); });
    }
  }
  ~LocalRanks() { join(); }

  void join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::exception_ptr failure() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return failure_;
  }

 private:
  void work(int64_t rank) {
    try {
      const ThreadScope serial_torch;
      const std::unique_ptr<Group> group = hub_.rank(rank);
      body_(*group);
    } catch (const std::exception& error) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
      }
      hub_.abort(error.what());
    }
  }

  LocalHub& hub_;
  const std::function<void(Group& group)> body_;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace

int64_t threads_of_rank(const RunOptions& options, int64_t ranks_here) {
  if (options.execution.threads > 0) return options.execution.threads;
  return std::max<int64_t>(1, num_threads() / ranks_here);
}

void run_local(int64_t ranks, const std::filesystem::path& folder,
               const PartsManifest& manifest, const RunOptions& options,
               const std::function<void(Group& group, int64_t threads)>& body,
               Wire wire) {
  rank_bounds(manifest.bounds, ranks);  // refuses more ranks than parts
  if (ranks == 1) {
    SingleGroup alone;
    body(alone, num_threads());
    return;
  }
  const int64_t threads = threads_of_rank(options, ranks);
  LocalHub hub(ranks);
  LocalRanks others(hub, ranks, [&](Group& group) {
    serve_parts({group, folder, manifest, options, threads, wire});
  });
  try {
    const std::unique_ptr<Group> first = hub.rank(0);
    body(*first, threads);
  } catch (const std::exception& error) {
    hub.abort(error.what());
    throw;
  }
  others.join();
  if (const std::exception_ptr failure = others.failure()) {
    std::rethrow_exception(failure);
  }
}

}  // namespace ordered_gnn::scale
