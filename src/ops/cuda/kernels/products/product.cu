// Work split: a block per tile of c and range of k, a warp per 32 x 32 of the
// tile; then, for several ranges, 8 threads per element of c.
// Memory: tiles of the factors come to shared memory by asynchronous copies,
// two or three ahead of the one in use; tiles of c that share rows of a follow
// each other, so that a is read from memory once.
// Determinism: tiles and ranges follow from the sizes; sums run in the order of
// k within a range and then in the order of ranges.
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/product_kernel.cuh"
#include "ops/cuda/kernels/products/product_plan.h"
#include "ops/cuda/kernels/products/product_ranges.cuh"

namespace ordered_gnn::cuda {
namespace {

/// Kernels count k in int, a few tiles past its end too.
constexpr int64_t kLongestDepth = INT32_MAX - 8 * kTileDepth;

static_assert(LargeShape::kRows == kLargeTileRows &&
              SmallShape::kRows == kSmallTileRows &&
              LargeShape::kColumns == kTileColumns &&
              SmallShape::kColumns == kTileColumns);

ProductPlan plan_of(int64_t m, int64_t n, int64_t k) {
  return plan_product(m, n, k, kTileDepth);
}

/// Copies of single elements have kernels for the small tile alone. The ranges
/// stay, as does the workspace.
void use_small_tiles(int64_t m, ProductPlan& plan) {
  plan.large = false;
  plan.row_tiles = divided_up(m, SmallShape::kRows);
}

template <typename Shape, bool kAlongA, bool kAlongB, int kTerms, int V>
cudaError_t launch_tiles(const ProductTask& task, const dim3& grid,
                         cudaStream_t stream) {
  constexpr int kBytes = Shape::kStages * static_cast<int>(sizeof(float)) *
                         (FactorTile<kAlongA, Shape::kRows>::kFloats +
                          FactorTile<kAlongB, Shape::kColumns>::kFloats);
  const auto kernel = product_kernel<Shape, kAlongA, kAlongB, kTerms, V>;
  static OncePerDevice allowed;
  const cudaError_t status = allowed.ask([&] {
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  });
  if (status != cudaSuccess) return status;
  kernel<<<grid, kProductThreads, kBytes, stream>>>(task);
  return cudaGetLastError();
}

template <typename Shape, int V>
cudaError_t launch_shape(const ProductTask& task, int terms, const dim3& grid,
                         cudaStream_t stream) {
  const bool along_a = !task.a.transposed, along_b = task.b.transposed;
  const bool exact = terms == 3;
  if (along_a && along_b) {
    return exact ? launch_tiles<Shape, true, true, 3, V>(task, grid, stream)
                 : launch_tiles<Shape, true, true, 1, V>(task, grid, stream);
  }
  if (along_a) {
    return exact ? launch_tiles<Shape, true, false, 3, V>(task, grid, stream)
                 : launch_tiles<Shape, true, false, 1, V>(task, grid, stream);
  }
  return exact ? launch_tiles<Shape, false, false, 3, V>(task, grid, stream)
               : launch_tiles<Shape, false, false, 1, V>(task, grid, stream);
}

ProductTask task_of(const Product& job, const ProductPlan& plan) {
  ProductTask task{};
  task.a = job.a;
  task.b = job.b;
  task.m = job.m;
  task.n = job.n;
  task.k = job.k;
  task.depth = plan.depth;
  task.column_tiles = static_cast<unsigned>(plan.column_tiles);
  if (plan.ranges == 1) {
    task.c = job.c;
    task.c_pitch = job.c_pitch;
    task.bias = job.bias;
    task.accumulate = job.accumulate;
  } else {
    task.c = job.workspace;
    task.c_pitch = job.n;
    task.c_step = job.m * job.n;
  }
  task.pairs = reinterpret_cast<uintptr_t>(task.c) % sizeof(float2) == 0 &&
               task.c_pitch % 2 == 0 && task.c_step % 2 == 0;
  return task;
}

}  // namespace

int64_t product_workspace(int64_t m, int64_t n, int64_t k) {
  const ProductPlan plan = plan_of(m, n, k);
  return plan.ranges == 1 ? 0 : plan.ranges * m * n;
}

bool can_multiply(const Product& job) {
  ProductPlan plan = plan_of(job.m, job.n, job.k);
  use_small_tiles(job.m, plan);  // the larger number of blocks
  return (job.terms == 1 || job.terms == 3) &&
         !(job.a.transposed && job.b.transposed) &&
         (plan.ranges == 1 || job.workspace != nullptr) &&
         plan.row_tiles * plan.column_tiles <= INT32_MAX &&
         job.k <= kLongestDepth;
}

cudaError_t launch_product(const Product& job, cudaStream_t stream) {
  if (!can_multiply(job)) return cudaErrorInvalidValue;
  if (job.m == 0 || job.n == 0) return launch_sum_partials(job.along, stream);
  const bool wide = copies_of_16_bytes(job.a) && copies_of_16_bytes(job.b);
  ProductPlan plan = plan_of(job.m, job.n, job.k);
  if (!wide) use_small_tiles(job.m, plan);
  const ProductTask task = task_of(job, plan);
  const dim3 grid(static_cast<unsigned>(plan.row_tiles * plan.column_tiles),
                  static_cast<unsigned>(plan.ranges));
  const cudaError_t status =
      !wide        ? launch_shape<SmallShape, 1>(task, job.terms, grid, stream)
      : plan.large ? launch_shape<LargeShape, 4>(task, job.terms, grid, stream)
                   : launch_shape<SmallShape, 4>(task, job.terms, grid, stream);
  if (status != cudaSuccess) return status;
  return finish_product(job, plan.ranges, stream);
}

}  // namespace ordered_gnn::cuda
