// Work split: a block of two warpgroups per tile of c and range of k; then, for
// several ranges, 8 threads per element of c.
// Memory: tiles of the larger factor come to shared memory by asynchronous
// copies, three ahead of the one in use, and go to the tensor cores through
// registers; the smaller factor is split on its way to shared memory, from
// where they read it. Tiles of c that share rows of the larger factor follow
// each other, so that it is read from memory once. Determinism: tiles and
// ranges follow from the sizes and layouts; sums run in the order of k within a
// range and then in the order of ranges.
#include "ops/cuda/kernels/products/product_plan.h"
#include "ops/cuda/kernels/products/product_ranges.cuh"
#include "ops/cuda/kernels/products/product_wgmma.h"
#include "ops/cuda/kernels/products/product_wgmma_kernel.cuh"

namespace ordered_gnn::cuda {
namespace {

/// Kernels count k in int, a few tiles past its end too.
constexpr int64_t kLongestDepth = INT32_MAX - 8 * kTileDepth;

static_assert(WgmmaLarge::kRows == kLargeTileRows &&
              WgmmaSmall::kRows == kSmallTileRows &&
              kWgmmaColumns == kTileColumns);

/// Whether the kernel computes c^T = b^T a^T: the larger factor, which goes
/// through registers, is b. Neither factor has k along memory then.
bool is_swapped(const Product& job) {
  return job.a.transposed && job.n > job.m;
}

ProductPlan plan_of(const Product& job) {
  return is_swapped(job) ? plan_product(job.n, job.m, job.k, kTileDepth)
                         : plan_product(job.m, job.n, job.k, kTileDepth);
}

bool serves_layouts(const Product& job) {
  if (job.a.transposed && job.b.transposed) return false;
  const bool swapped = is_swapped(job);
  const Factor& large = swapped ? job.b : job.a;
  const Factor& small = swapped ? job.a : job.b;
  const bool along_k = !swapped && job.b.transposed;  // in memory of small
  return copies_of_16_bytes(large) && small.second == nullptr &&
         (!along_k || copies_of_16_bytes(small));
}

/// Whether the program has the kernels for the special features of the current
/// device. Without these they are a bare trap, with fewer registers than sums.
bool has_wgmma_code() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(
      &attributes, product_wgmma_kernel<WgmmaSmall, true, true, 1>);
  if (status != cudaSuccess) cudaGetLastError();  // no error of a later call
  return status == cudaSuccess && attributes.numRegs > 64;
}

bool has_wgmma() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                             device) != cudaSuccess ||
      major != 9) {
    return false;
  }
  static const bool code = has_wgmma_code();
  return code;
}

WgmmaTask task_of(const Product& job, const ProductPlan& plan) {
  const bool swapped = is_swapped(job), whole = plan.ranges == 1;
  const int64_t pitch = whole ? job.c_pitch : job.n;
  WgmmaTask task{};
  task.a = swapped ? job.b : job.a;
  task.b = swapped ? job.a : job.b;
  task.rows = swapped ? job.n : job.m;
  task.columns = swapped ? job.m : job.n;
  task.k = job.k;
  task.depth = plan.depth;
  task.column_tiles = static_cast<unsigned>(plan.column_tiles);
  task.c = whole ? job.c : job.workspace;
  task.row_step = swapped ? 1 : pitch;
  task.column_step = swapped ? pitch : 1;
  task.range_step = whole ? 0 : job.m * job.n;
  task.bias = whole ? job.bias : nullptr;
  task.bias_of_rows = swapped;
  task.accumulate = whole && job.accumulate;
  task.pairs = !swapped && pitch % 2 == 0 && task.range_step % 2 == 0 &&
               reinterpret_cast<uintptr_t>(task.c) % sizeof(float2) == 0;
  return task;
}

template <typename Shape, bool kAlongA, bool kAlongB, int kTerms>
cudaError_t launch_tiles(const WgmmaTask& task, const dim3& grid,
                         cudaStream_t stream) {
  constexpr int kBytes = WgmmaMemory<Shape, kAlongA, kTerms>::kFloats *
                         static_cast<int>(sizeof(float));
  const auto kernel = product_wgmma_kernel<Shape, kAlongA, kAlongB, kTerms>;
  static OncePerDevice allowed;
  const cudaError_t status = allowed.ask([&] {
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  });
  if (status != cudaSuccess) return status;
  kernel<<<grid, kProductThreads, kBytes, stream>>>(task);
  return cudaGetLastError();
}

template <typename Shape, int kTerms>
cudaError_t launch_shape(const Product& job, const WgmmaTask& task,
                         const dim3& grid, cudaStream_t stream) {
  if (job.a.transposed) {
    return launch_tiles<Shape, false, false, kTerms>(task, grid, stream);
  }
  return job.b.transposed
             ? launch_tiles<Shape, true, true, kTerms>(task, grid, stream)
             : launch_tiles<Shape, true, false, kTerms>(task, grid, stream);
}

template <int kTerms>
cudaError_t launch_plan(const Product& job, const ProductPlan& plan,
                        cudaStream_t stream) {
  const WgmmaTask task = task_of(job, plan);
  const dim3 grid(static_cast<unsigned>(plan.row_tiles * plan.column_tiles),
                  static_cast<unsigned>(plan.ranges));
  return plan.large ? launch_shape<WgmmaLarge, kTerms>(job, task, grid, stream)
                    : launch_shape<WgmmaSmall, kTerms>(job, task, grid, stream);
}

}  // namespace

int64_t product_wgmma_workspace(int64_t m, int64_t n, int64_t k) {
  const int64_t ranges = std::max(plan_product(m, n, k, kTileDepth).ranges,
                                  plan_product(n, m, k, kTileDepth).ranges);
  return ranges == 1 ? 0 : ranges * m * n;
}

bool can_multiply_wgmma(const Product& job) {
  const ProductPlan plan = plan_of(job);
  return (job.terms == 1 || job.terms == 3) && serves_layouts(job) &&
         (plan.ranges == 1 || job.workspace != nullptr) &&
         plan.row_tiles * plan.column_tiles <= INT32_MAX &&
         job.k <= kLongestDepth && has_wgmma();
}

cudaError_t launch_product_wgmma(const Product& job, cudaStream_t stream) {
  if (!can_multiply_wgmma(job)) return cudaErrorInvalidValue;
  if (job.m == 0 || job.n == 0) return launch_sum_partials(job.along, stream);
  const ProductPlan plan = plan_of(job);
  const cudaError_t status = job.terms == 3 ? launch_plan<3>(job, plan, stream)
                                            : launch_plan<1>(job, plan, stream);
  if (status != cudaSuccess) return status;
  return finish_product(job, plan.ranges, stream);
}

}  // namespace ordered_gnn::cuda
