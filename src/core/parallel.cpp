#include "ordered_gnn/core/parallel.h"

#include <ATen/Parallel.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "core/blas_threads.h"
#include "core/cpu_topology.h"
#include "core/run_blocks.h"
#include "core/thread_pins.h"
#include "core/thread_share.h"
#include "core/thread_team.h"
#include "core/trace.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn {
namespace {

std::atomic<int> set_threads{0};
// Of the innermost ThreadScope; 0 outside of any.
thread_local int scope_threads = 0;
// Set inside a block and inside a SerialScope.
thread_local bool serial_thread = false;

// OpenMP counts threads for each thread, and LibTorch's loops, MKL and an
// OpenBLAS built with it follow that number once LibTorch has set its own.
//
// @return what to set in the end: what the caller had chosen, or else what
//         LibTorch chooses when a thread first asks it, as it does here.
int change_openmp_threads(int threads) {
  const int before = omp_get_max_threads();
  const int of_torch = at::get_num_threads();
  omp_set_num_threads(threads);
  return before == omp_get_num_procs() ? of_torch : before;
}

// While it lives, what a block calls does not take further threads.
class SerialBlocks : NonCopyable {
 public:
  SerialBlocks() : openmp_threads_(change_openmp_threads(1)) {
    serial_thread = true;
  }
  ~SerialBlocks() {
    serial_thread = false;
    omp_set_num_threads(openmp_threads_);
  }

 private:
  const int openmp_threads_;
};

// What a fork left behind has threads that are no more: not to be ended.
struct EndIfHere {
  void operator()(core::ThreadTeam* team) const {
    if (team->is_here()) delete team;
  }
};

// Of the calling thread.
core::ThreadTeam& own_team() {
  thread_local std::unique_ptr<core::ThreadTeam, EndIfHere> team;
  thread_local bool team_is_pinned = false;
  const bool pinned = core::is_pinned();
  // Helpers stay where they were put: when that changes, others are taken.
  if (!team || !team->is_here() || team_is_pinned != pinned) {
    team.reset(new core::ThreadTeam([pinned](int helper) {
      change_openmp_threads(1);
      serial_thread = true;
      if (pinned) core::pin_helper(helper);
    }));
    team_is_pinned = pinned;
  }
  return *team;
}

void run_traced_blocks(int64_t num_blocks,
                       const std::function<void(int64_t)>& body) {
  using core::TraceEvent;
  const std::string name = core::traced_op();
  const core::TraceMoment start = core::traced_moment();
  core::run_blocks(num_blocks, [&](int64_t block) {
    const core::TraceMoment block_start = core::traced_moment();
    body(block);
    core::add_traced(TraceEvent::Kind::block, name, block, block_start);
  });
  core::add_traced(TraceEvent::Kind::loop, name, num_blocks, start);
}

}  // namespace

int core::threads_for(int64_t num_blocks) {
  if (serial_thread) return 1;
  return static_cast<int>(std::min<int64_t>(num_threads(), num_blocks));
}

void core::run_blocks(int64_t num_blocks,
                      const std::function<void(int64_t)>& body) {
  const int threads = threads_for(num_blocks);
  if (threads <= 1) {
    for (int64_t block = 0; block < num_blocks; ++block) body(block);
    return;
  }
  const SerialBlocks serial;
  const core::PinnedLoop pinned;
  own_team().run(num_blocks, threads - 1, body);
}

int available_cores() { return core::topology().num_hardware_threads(); }

int default_threads() {
  const core::CpuTopology& machine = core::topology();
  return machine.within_quota(machine.num_cores());
}

int num_threads() {
  if (scope_threads > 0) return scope_threads;
  if (const auto* const share = core::ThreadShare::of_this_thread()) {
    return share->threads();
  }
  const int threads = set_threads;
  return threads > 0 ? threads : default_threads();
}

void set_num_threads(int threads) { set_threads = std::max(threads, 0); }

ThreadScope::ThreadScope(int64_t threads)
    : outer_threads_(scope_threads), openmp_threads_(change_openmp_threads(1)) {
  if (threads > 0) scope_threads = static_cast<int>(threads);
  core::enter_serial_blas();
}

ThreadScope::~ThreadScope() {
  core::leave_serial_blas();
  omp_set_num_threads(openmp_threads_);
  scope_threads = outer_threads_;
}

SerialScope::SerialScope() : was_serial_(serial_thread) {
  serial_thread = true;
}

SerialScope::~SerialScope() { serial_thread = was_serial_; }

TorchThreads::TorchThreads(int threads)
    : openmp_threads_(change_openmp_threads(threads)),
      blas_threads_(core::blas_threads()) {
  core::set_blas_threads(threads);
}

TorchThreads::~TorchThreads() {
  core::set_blas_threads(blas_threads_);
  omp_set_num_threads(openmp_threads_);
}

void parallel_blocks(int64_t num_blocks,
                     const std::function<void(int64_t)>& body) {
  if (core::is_traced()) {
    run_traced_blocks(num_blocks, body);
  } else {
    core::run_blocks(num_blocks, body);
  }
}

void parallel_ranges(int64_t size, int64_t block_size,
                     const std::function<void(int64_t, int64_t)>& body) {
  const int64_t num_blocks = (size + block_size - 1) / block_size;
  parallel_blocks(num_blocks, [&](int64_t block) {
    const int64_t begin = block * block_size;
    body(begin, std::min(size, begin + block_size));
  });
}

}  // namespace ordered_gnn
