// Work split: a block of one, three or four warpgroups for as many 64 rows of
// c, tile after tile of its columns, and for a range of k; then, for several
// ranges, 8 threads per element of c.
// Memory: the factor with more rows comes to shared memory that is a warp's
// own, by asynchronous copies three stages ahead of the one in use, and goes to
// the tensor cores through registers; the smaller factor is split on its way to
// shared memory, from where they read it. Warpgroups of a block meet once a
// chunk of it. Determinism: blocks and ranges follow from the sizes and
// layouts; sums run in the order of k within a range and then in the order of
// ranges.
#include "ops/cuda/kernels/products/product_ranges.cuh"
#include "ops/cuda/kernels/products/product_wgmma.h"
#include "ops/cuda/kernels/products/product_wgmma_kernel.cuh"
#include "ops/cuda/kernels/products/product_wgmma_plan.h"

namespace ordered_gnn::cuda {
namespace {

/// Kernels count k in int, a few chunks past its end too.
constexpr int64_t kLongestDepth = INT32_MAX - 1024;

using OneGroup = WgmmaShape<1, 3, 16>;
using ThreeGroups = WgmmaShape<3, 1, 16>;
using FourGroups = WgmmaShape<4, 1, 8>;
static_assert(kWgmmaRows == kWgmmaTile && kWgmmaColumns == kWgmmaTile &&
              kStageDepth == kWgmmaTurn);

/// Whether the kernel computes c^T = b^T a^T: the factor with more rows, which
/// goes through registers, is b. Neither factor has k along memory then.
bool is_swapped(const Product& job) {
  return job.a.transposed && job.n > job.m;
}

WgmmaPlan plan_of(const Product& job) {
  if (!job.a.transposed) return plan_wgmma_rows(job.m, job.n, job.k);
  return is_swapped(job) ? plan_wgmma_ranges(job.n, job.m, job.k)
                         : plan_wgmma_ranges(job.m, job.n, job.k);
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

/// Whether there are blocks enough, of rows or of ranges of k. Where k is long
/// and rows are few, the other kernel cuts it into ranges.
bool serves_sizes(const Product& job, const WgmmaPlan& plan) {
  if (plan.grid() > INT32_MAX || job.k > kLongestDepth) return false;
  if (job.a.transposed) return plan.ranges > 1 && job.workspace != nullptr;
  return job.m >= kFewestWgmmaRows &&
         (job.k < kLongDepth || plan.grid() >= kMultiprocessors);
}

/// Whether the program has the kernels for the special features of the current
/// device. Without these they are a bare trap, with fewer registers than sums.
bool has_wgmma_code() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(
      &attributes, product_wgmma_kernel<OneGroup, RowsAlongK, true, 1>);
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

WgmmaTask task_of(const Product& job, const WgmmaPlan& plan) {
  const bool swapped = is_swapped(job), whole = plan.ranges == 1;
  WgmmaTask task{};
  task.a = swapped ? job.b : job.a;
  task.b = swapped ? job.a : job.b;
  task.rows = swapped ? job.n : job.m;
  task.columns = swapped ? job.m : job.n;
  task.k = job.k;
  task.depth = static_cast<int>(plan.depth);
  task.column_groups = static_cast<unsigned>(plan.column_groups);
  task.group_tiles = static_cast<int>(plan.group_tiles);
  task.c = whole ? job.c : job.workspace;
  task.pitch = whole ? job.c_pitch : task.columns;
  task.range_step = whole ? 0 : job.m * job.n;
  task.bias = whole ? job.bias : nullptr;
  task.accumulate = whole && job.accumulate;
  task.pairs = task.columns % 2 == 0 && task.pitch % 2 == 0 &&
               task.range_step % 2 == 0 &&
               reinterpret_cast<uintptr_t>(task.c) % sizeof(float2) == 0;
  return task;
}

template <typename Shape, typename Rows, bool kAlongB, int kTerms>
cudaError_t launch_blocks(const WgmmaTask& task, const WgmmaPlan& plan,
                          cudaStream_t stream) {
  constexpr int kBytes =
      WgmmaMemory<Shape, kTerms>::kFloats * static_cast<int>(sizeof(float));
  const auto kernel = product_wgmma_kernel<Shape, Rows, kAlongB, kTerms>;
  static OncePerDevice allowed;
  const cudaError_t status = allowed.ask([&] {
    return cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  });
  if (status != cudaSuccess) return status;
  const dim3 grid(static_cast<unsigned>(plan.grid()),
                  static_cast<unsigned>(plan.ranges));
  kernel<<<grid, Shape::kThreads, kBytes, stream>>>(task);
  return cudaGetLastError();
}

template <bool kAlongB, int kTerms>
cudaError_t launch_rows(const WgmmaTask& task, const WgmmaPlan& plan,
                        cudaStream_t stream) {
  return plan.blocks == WgmmaBlocks::one
             ? launch_blocks<OneGroup, RowsAlongK, kAlongB, kTerms>(task, plan,
                                                                    stream)
             : launch_blocks<ThreeGroups, RowsAlongK, kAlongB, kTerms>(
                   task, plan, stream);
}

template <int kTerms>
cudaError_t launch_plan(const Product& job, const WgmmaPlan& plan,
                        cudaStream_t stream) {
  const WgmmaTask task = task_of(job, plan);
  if (job.a.transposed) {
    return launch_blocks<FourGroups, RowsAcrossK, false, kTerms>(task, plan,
                                                                 stream);
  }
  return job.b.transposed ? launch_rows<true, kTerms>(task, plan, stream)
                          : launch_rows<false, kTerms>(task, plan, stream);
}

}  // namespace

int64_t product_wgmma_workspace(int64_t m, int64_t n, int64_t k) {
  const int64_t ranges = std::max(plan_wgmma_ranges(m, n, k).ranges,
                                  plan_wgmma_ranges(n, m, k).ranges);
  return ranges == 1 ? 0 : ranges * m * n;
}

bool can_multiply_wgmma(const Product& job) {
  return (job.terms == 1 || job.terms == 3) && serves_layouts(job) &&
         serves_sizes(job, plan_of(job)) && has_wgmma();
}

cudaError_t launch_product_wgmma(const Product& job, cudaStream_t stream) {
  if (!can_multiply_wgmma(job)) return cudaErrorInvalidValue;
  if (job.m == 0 || job.n == 0) return launch_sum_partials(job.along, stream);
  const WgmmaPlan plan = plan_of(job);
  const cudaError_t status = job.terms == 3 ? launch_plan<3>(job, plan, stream)
                                            : launch_plan<1>(job, plan, stream);
  if (status != cudaSuccess) return status;
  return finish_product(job, plan.ranges, stream, is_swapped(job));
}

}  // namespace ordered_gnn::cuda
