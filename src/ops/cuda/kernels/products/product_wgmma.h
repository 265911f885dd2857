#pragma once
#include "ops/cuda/kernels/products/product.h"

// Products on the warpgroup instructions of Hopper devices, whose tensor cores
// give other instructions a quarter of their rate.
namespace ordered_gnn::cuda {

/// Floats of workspace that launch_product_wgmma() needs for these sizes; as
/// product_workspace().
int64_t product_wgmma_workspace(int64_t m, int64_t n, int64_t k);

/// Whether launch_product_wgmma() serves the job on the current device, which
/// must have compute capability 9. Of the factors one is copied 16 bytes at a
/// time, b when a is transposed and n > m, otherwise a: its pointers must be
/// multiples of 16 bytes, its pitch and columns_of_first multiples of 4. The
/// other one must have a single source and, when k runs along its memory, the
/// same alignment. Not served are products that would leave the device idle
/// (product_wgmma_plan.h): with m < 1,024, with a long k and few tiles of c,
/// and for a transposed a where k is too short or c too large for ranges of k.
/// Everything else is as in can_multiply(), with a workspace of
/// product_wgmma_workspace().
bool can_multiply_wgmma(const Product& job);

/// As launch_product(); cudaErrorInvalidValue for a job that
/// can_multiply_wgmma() refuses.
cudaError_t launch_product_wgmma(const Product& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
