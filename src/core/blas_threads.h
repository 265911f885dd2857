#pragma once

namespace ordered_gnn::core {

/// Threads that a BLAS counts for the whole process: only an OpenBLAS built
/// with threads of its own does. One built with OpenMP and MKL follow OpenMP,
/// whose number is the calling thread's; 0 then.
int blas_threads();
/// Does nothing where blas_threads() is 0.
void set_blas_threads(int threads);

/// Between the first enter and the last leave, of any thread, such a BLAS has
/// one thread; then it gets back what it had.
void enter_serial_blas();
void leave_serial_blas();

}  // namespace ordered_gnn::core
