#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace ordered_gnn {

/// Threads that parallel_blocks() uses; at least 1.
int num_threads();

/// Sets that number (0 = one per available core) and keeps LibTorch's own
/// loops and the BLAS at one thread: all parallel work of this library runs in
/// blocks whose bounds depend on the problem alone, so results are the same
/// bits for any number of threads.
void set_num_threads(int threads);

/// Cores this process may run on.
int available_cores();

/// Calls body(block) once for every block in [0, num_blocks), in any order and
/// on any thread. Nested calls and those within a SerialScope run on the
/// calling thread. An exception thrown by a body is rethrown here after all
/// threads stopped.
void parallel_blocks(int64_t num_blocks,
                     const std::function<void(int64_t)>& body);

/// Splits [0, size) into fixed blocks of `block_size` and calls
/// body(begin, end) for each, as parallel_blocks() does.
void parallel_ranges(int64_t size, int64_t block_size,
                     const std::function<void(int64_t, int64_t)>& body);

/// Gives LibTorch's own loops and the BLAS `threads` threads while it lives,
/// for timing them as they come. Results may then depend on the threads.
class TorchThreads {
 public:
  explicit TorchThreads(int threads);
  ~TorchThreads();
  TorchThreads(const TorchThreads&) = delete;
  TorchThreads& operator=(const TorchThreads&) = delete;
};

/// While it lives, parallel_blocks() and LibTorch's own loops run serially on
/// the thread that made it: for threads that share the cores by working on
/// whole tasks side by side. Scopes nest, and end on the thread they began on.
class SerialScope {
 public:
  SerialScope();
  ~SerialScope();
  SerialScope(const SerialScope&) = delete;
  SerialScope& operator=(const SerialScope&) = delete;

 private:
  const bool was_serial_;
  const int openmp_threads_;
};

/// What LibTorch's matrix products run on, for example "OpenBLAS 0.3.21".
std::string blas_name();

}  // namespace ordered_gnn
