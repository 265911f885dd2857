#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn {

/// Threads that parallel_blocks() uses on the calling thread: those of the
/// innermost ThreadScope, else of set_num_threads(), else default_threads(); at
/// least 1. Changes nothing.
int num_threads();

/// Sets the number where no ThreadScope says otherwise (0 = as many as
/// default_threads()). Of this library alone: LibTorch, the BLAS and OpenMP
/// keep theirs.
void set_num_threads(int threads);

/// Hardware threads this process may run on.
int available_cores();

/// One thread for every physical core that this process may run on, since
/// hardware threads of one core share its vector units, but no more than its
/// control group grants time for; at least 1.
int default_threads();

/// While it lives, on the thread that made it: parallel_blocks() uses `threads`
/// (0 = what the scope around it or set_num_threads() says), and LibTorch's own
/// loops and the BLAS run serially. All parallel work of this library runs in
/// blocks whose bounds depend on the problem alone, or which compute rows that
/// do not know of each other, so that results are the same bits for any number
/// of threads. Its end gives LibTorch, the BLAS and
/// OpenMP back what they had. Scopes nest, and end on the thread they began on.
///
/// Whatever trains, predicts, explains or loads opens one; a loop of your own
/// that is to give the same bits everywhere does so too.
class ThreadScope : NonCopyable {
 public:
  explicit ThreadScope(int64_t threads = 0);
  ~ThreadScope();

 private:
  const int outer_threads_;
  const int openmp_threads_;
};

/// While it lives, parallel_blocks() and LibTorch's own loops run serially on
/// the thread that made it: for threads that share the cores by working on
/// whole tasks side by side. Scopes nest, and end on the thread they began on.
class SerialScope : NonCopyable {
 public:
  SerialScope();
  ~SerialScope();

 private:
  const ThreadScope torch_;
  const bool was_serial_;
};

/// Gives LibTorch's own loops and the BLAS `threads` threads while it lives, on
/// the thread that made it, for timing them as they come. Results may then
/// depend on the threads.
class TorchThreads : NonCopyable {
 public:
  explicit TorchThreads(int threads);
  ~TorchThreads();

 private:
  const int openmp_threads_;
  const int blas_threads_;
};

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

/// What LibTorch's matrix products run on, for example "OpenBLAS 0.3.21".
std::string blas_name();

}  // namespace ordered_gnn
