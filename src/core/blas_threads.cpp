#include "core/blas_threads.h"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <mutex>
#include <string>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace core {
namespace {

// openblas_get_parallel(): 0 serial, 1 threads of its own, 2 OpenMP.
constexpr int kOwnThreads = 1;

// OpenBLAS is reached through LibTorch, so its controls are looked up at run
// time and simply absent with another BLAS.
template <typename Function>
Function find_symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

bool has_own_threads() {
  static const bool own = [] {
    const auto kind = find_symbol<int (*)()>("openblas_get_parallel");
    return kind != nullptr && kind() == kOwnThreads;
  }();
  return own;
}

struct SharedCount {
  std::mutex mutex;
  int scopes = 0;
  int threads_before = 0;
};

SharedCount& shared_count() {
  static SharedCount count;
  return count;
}

}  // namespace

int blas_threads() {
  if (!has_own_threads()) return 0;
  const auto get = find_symbol<int (*)()>("openblas_get_num_threads");
  return get == nullptr ? 0 : get();
}

void set_blas_threads(int threads) {
  if (!has_own_threads() || threads < 1) return;
  if (const auto set = find_symbol<void (*)(int)>("openblas_set_num_threads")) {
    set(threads);
  }
}

void enter_serial_blas() {
  SharedCount& count = shared_count();
  const std::lock_guard<std::mutex> lock(count.mutex);
  if (count.scopes++ > 0) return;
  count.threads_before = blas_threads();
  set_blas_threads(1);
}

void leave_serial_blas() {
  SharedCount& count = shared_count();
  const std::lock_guard<std::mutex> lock(count.mutex);
  if (--count.scopes == 0) set_blas_threads(count.threads_before);
}

}  // namespace core

std::string blas_name() {
  if (const auto config =
          core::find_symbol<const char* (*)()>("openblas_get_config")) {
    return config();
  }
  return at::hasMKL() ? "MKL" : "reference BLAS";
}

}  // namespace ordered_gnn
