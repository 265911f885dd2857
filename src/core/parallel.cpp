#include "ordered_gnn/core/parallel.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

namespace ordered_gnn {
namespace {

std::atomic<int> configured_threads{0};
// Set inside a block and inside a SerialScope.
thread_local bool serial_thread = false;

// OpenBLAS is reached through LibTorch, so its controls are looked up at run
// time and simply absent with another BLAS.
template <typename Function>
Function find_symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void set_torch_threads(int threads) {
  at::set_num_threads(threads);
  if (const auto set = find_symbol<void (*)(int)>("openblas_set_num_threads")) {
    set(threads);
  }
}

void run_blocks(int64_t num_blocks, int threads,
                const std::function<void(int64_t)>& body) {
  std::exception_ptr failure;
  std::mutex failure_mutex;
  std::atomic<bool> stop{false};
  std::atomic<int64_t> next{0};
#pragma omp parallel num_threads(threads)
  {
    serial_thread = true;
    for (int64_t block = next++; block < num_blocks && !stop; block = next++) {
      try {
        body(block);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        stop = true;
      }
    }
    serial_thread = false;
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

int num_threads() {
  if (configured_threads == 0) set_num_threads(0);
  return configured_threads;
}

void set_num_threads(int threads) {
  configured_threads = threads > 0 ? threads : available_cores();
  set_torch_threads(1);
}

TorchThreads::TorchThreads(int threads) { set_torch_threads(threads); }

TorchThreads::~TorchThreads() { set_torch_threads(1); }

void parallel_blocks(int64_t num_blocks,
                     const std::function<void(int64_t)>& body) {
  const int threads =
      static_cast<int>(std::min<int64_t>(num_threads(), num_blocks));
  if (threads <= 1 || serial_thread) {
    for (int64_t block = 0; block < num_blocks; ++block) body(block);
    return;
  }
  run_blocks(num_blocks, threads, body);
}

void parallel_ranges(int64_t size, int64_t block_size,
                     const std::function<void(int64_t, int64_t)>& body) {
  const int64_t num_blocks = (size + block_size - 1) / block_size;
  parallel_blocks(num_blocks, [&](int64_t block) {
    const int64_t begin = block * block_size;
    body(begin, std::min(size, begin + block_size));
  });
}

// OpenMP keeps its number of threads per thread, and a new thread starts with
// one per core whatever set_num_threads() did elsewhere.
SerialScope::SerialScope()
    : was_serial_(serial_thread), openmp_threads_(omp_get_max_threads()) {
  serial_thread = true;
  omp_set_num_threads(1);
}

SerialScope::~SerialScope() {
  serial_thread = was_serial_;
  omp_set_num_threads(openmp_threads_);
}

std::string blas_name() {
  if (const auto config =
          find_symbol<const char* (*)()>("openblas_get_config")) {
    return config();
  }
  return at::hasMKL() ? "MKL" : "reference BLAS";
}

}  // namespace ordered_gnn
