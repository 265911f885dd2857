#include "core/parallel_chunks.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

#include "core/run_blocks.h"
#include "core/thread_team.h"
#include "core/trace.h"

namespace ordered_gnn::core {
namespace {

// Thrown to a block whose turn may never come; the walk keeps why.
struct Abandoned {};

// The first looks cost less than giving the core away; a thread that waits
// longer does so for one that has none.
constexpr int kLooksBeforeYield = 2000;

// A line of the cache each: chunks are walked through by different threads.
struct alignas(64) ChunkState {
  std::atomic<int64_t> next{0};
  ChunkTurn::Done done = {};
};

class ChunkWalk {
 public:
  using Body = std::function<void(int64_t, int64_t, const ChunkTurn&)>;

  ChunkWalk(const std::vector<int64_t>& blocks, const Body& body)
      : blocks_(blocks),
        body_(body),
        states_(blocks.size()),
        traced_(is_traced()),
        op_(traced_ ? traced_op() : "") {}

  // Takes blocks until none is left.
  void work() {
    for (int64_t chunk = fresh(); chunk >= 0; chunk = fresh()) walk(chunk);
    for (int64_t chunk = fullest(); chunk >= 0; chunk = fullest()) walk(chunk);
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  int64_t fresh() {
    const int64_t chunk = fresh_++;
    return chunk < static_cast<int64_t>(blocks_.size()) ? chunk : -1;
  }

  // The chunk with most blocks left; -1 without any.
  int64_t fullest() const {
    int64_t best = -1, most = 0;
    for (size_t chunk = 0; chunk < blocks_.size(); ++chunk) {
      const int64_t left = blocks_[chunk] - states_[chunk].next;
      if (left > most) {
        most = left;
        best = static_cast<int64_t>(chunk);
      }
    }
    return best;
  }

  void walk(int64_t chunk) {
    ChunkState& state = states_[static_cast<size_t>(chunk)];
    const int64_t count = blocks_[static_cast<size_t>(chunk)];
    while (!failed_) {
      const int64_t block = state.next++;
      if (block >= count) return;
      run(chunk, block, state);
    }
    state.next = count;
  }

  void run(int64_t chunk, int64_t block, ChunkState& state) {
    const TraceMoment start = traced_ ? traced_moment() : TraceMoment();
    try {
      body_(chunk, block, ChunkTurn(state.done, block, failed_));
    } catch (const Abandoned&) {
      return;
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      failed_ = true;
    }
    if (traced_) add_traced(TraceEvent::Kind::block, op_, block, start);
  }

  const std::vector<int64_t>& blocks_;
  const Body& body_;
  std::vector<ChunkState> states_;
  std::atomic<int64_t> fresh_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  const bool traced_;
  const std::string op_;
};

}  // namespace

void ChunkTurn::wait(int step) const {
  const auto is_mine = [&] {
    return done_[step].load(std::memory_order_acquire) == block_;
  };
  for (int looks = 0; !is_mine(); ++looks) {
    if (failed_) throw Abandoned();
    if (looks < kLooksBeforeYield) {
      pause_briefly();
    } else {
      std::this_thread::yield();
    }
  }
}

void parallel_chunks(const std::vector<int64_t>& blocks,
                     const ChunkWalk::Body& body) {
  const int64_t total =
      std::accumulate(blocks.begin(), blocks.end(), int64_t{0});
  const TraceMoment start = is_traced() ? traced_moment() : TraceMoment();
  ChunkWalk walk(blocks, body);
  run_blocks(threads_for(total), [&](int64_t) { walk.work(); });
  walk.rethrow();
  if (is_traced()) {
    add_traced(TraceEvent::Kind::loop, traced_op(), total, start);
  }
}

}  // namespace ordered_gnn::core
