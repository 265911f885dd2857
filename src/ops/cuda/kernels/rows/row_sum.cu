// Work split: a block owns a few rows and a slice of the columns, a warp one or
// some of the rows. All its warps share a hub among them, each taking one run
// of its entries; lists whose rows are long on average (features and their
// nodes) get a block per row.
// Memory: sums stay in registers, so the output is written once and only the
// gathered rows are read, four loads per lane in flight. When the gathered
// matrix is larger than the L2 cache, slices are so narrow that theirs fits:
// grids run slice after slice, so rows that several others gather come from
// memory once. A short matrix that is gathered very often (the weights of
// sparse features) is sliced for the L1 cache in the same way.
// Determinism: groups of lanes add every second or fourth entry in list order,
// then each other; the runs of a hub, whose bounds follow from its degree, are
// added in order. Slices follow from the sizes alone. No atomics.
#include "ops/cuda/kernels/rows/row_sum.cuh"

namespace ordered_gnn::cuda {
namespace {

// Batches of loads for which a warp takes about as long as a block with its two
// barriers and the sum over its warps.
constexpr int64_t kHubBatches = 16;
// Average degree from which a block per row is better than a warp per row.
constexpr int64_t kBlockRowDegree = 128;
// Shorter blocks where every warp has its own rows: fewer wait for the longest.
constexpr int kSmallBlock = 128;
// From this many blocks on, warps take several rows each: starting blocks
// takes time too.
constexpr int64_t kManyBlocks = 32768;
constexpr int kRowsPerWarp = 4;
// Most of the L2 cache, through which the list and the results pass as well;
// up to twice as much, what is found there by chance makes up for the lists
// that more slices would read.
constexpr int64_t kSliceBytes = 48 << 20;
constexpr int64_t kNearSliceBytes = 144 << 10;
// Entries per gathered row from which every multiprocessor asks for it often.
constexpr int64_t kNearReuse = 512;

// Rows of a block as bits: first those that the warp has for itself, then those
// that the warps share.
struct RowQueue {
  unsigned own;
  unsigned hubs;

  /// The next row, -1 after the last.
  __device__ __forceinline__ int next() {
    unsigned& rows = own != 0 ? own : hubs;
    const int row = __ffs(static_cast<int>(rows)) - 1;
    rows &= rows - 1;
    return row;
  }
};

// Every warps_per_block()-th of the rows of the block, from the warp's number
// on.
__device__ __forceinline__ unsigned rows_of_warp(int rows) {
  unsigned own = 0;
  for (int r = warp_id(); r < rows; r += warps_per_block()) own |= 1u << r;
  return own;
}

// Blocks that a multiprocessor is to hold, as far as the registers go round.
template <typename C, Weights kWeights, typename In>
constexpr int kResident = C::kPacks > 1                                  ? 2
                          : kWeights == Weights::ones && sizeof(In) == 4 ? 5
                                                                         : 4;

struct Split {
  int rows_per_block;
  int64_t hub_degree;
  bool streamed;
};

// sum = the sum of the warps' sums, in the first warp. Every thread of the
// block must call it.
template <typename C, typename T>
__device__ __forceinline__ void add_warps(T (*parts)[C::kColumns],
                                          T (&sum)[C::kSums]) {
  __syncthreads();  // parts of the hub before have been read
  if (C::group() == 0) {
#pragma unroll
    for (int j = 0; j < C::kSums; ++j) {
      parts[warp_id()][C::offset(j / C::kPack) + j % C::kPack] = sum[j];
    }
  }
  __syncthreads();
  if (warp_id() != 0) return;
#pragma unroll
  for (int j = 0; j < C::kSums; ++j) {
    sum[j] = T(0);
    for (int w = 0; w < warps_per_block(); ++w) {
      sum[j] += parts[w][C::offset(j / C::kPack) + j % C::kPack];
    }
  }
}

// The warp's share of a hub's entries.
__device__ __forceinline__ void take_run(int64_t& begin, int64_t& end) {
  const int64_t run = (end - begin + warps_per_block() - 1) / warps_per_block();
  begin += run * warp_id();
  if (begin + run < end) end = begin + run;
}

template <typename C, Weights kWeights, typename In, typename Out,
          typename Index>
__global__ void __launch_bounds__(kBlockThreads, kResident<C, kWeights, In>)
    row_sum_kernel(const RowSum<In, Out, Index> job, const Split split) {
  __shared__ Compute<In> parts[kBlockWarps][C::kColumns];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * split.rows_per_block;
  const int64_t left = job.rows - first;
  const int rows = left < split.rows_per_block ? static_cast<int>(left)
                                               : split.rows_per_block;
  const int64_t* const rowptr = job.rowptr + first;
  const bool is_hub =
      lane_id() < rows &&
      rowptr[lane_id() + 1] - rowptr[lane_id()] > split.hub_degree;
  // All warps see the same hubs, so they meet at the same barriers.
  const unsigned hubs = __ballot_sync(kAllLanes, is_hub);
  RowQueue queue{rows_of_warp(rows) & ~hubs, hubs};
  for (int r = queue.next(); r >= 0; r = queue.next()) {
    const bool shared = (hubs >> r & 1u) != 0;
    int64_t begin = rowptr[r], end = rowptr[r + 1];
    if (shared) take_run(begin, end);
    const RowFrame<C, Out> frame(job, first + r);
    Compute<In> sum[C::kSums];
    sum_entries<C, kWeights>(job, first + r, begin, end, sum);
    if (shared) add_warps<C>(parts, sum);
    if (!shared || warp_id() == 0) {
      store_row<C>(job, first + r, split.streamed, frame, sum);
    }
  }
}

template <typename In, typename Out, typename Index>
int64_t gathered_bytes(const RowSum<In, Out, Index>& job) {
  return job.h_rows * job.dim * static_cast<int64_t>(sizeof(In));
}

// Lanes of 16 bytes each that cover a slice: 8, 16 or 32.
template <typename In, typename Out, typename Index>
int slice_lanes(const RowSum<In, Out, Index>& job) {
  int widest = kWarp;
  while (widest > 8 && widest / 2 * kVector<In> >= job.dim) widest /= 2;
  const int64_t lane_bytes = 16 * job.h_rows;
  const auto fitting = [&](int64_t bytes) {
    int lanes = widest;
    while (lanes > 8 && lanes * lane_bytes > bytes) lanes /= 2;
    return lanes;
  };
  const int near = fitting(kNearSliceBytes);
  const bool reused = job.entries >= kNearReuse * job.h_rows;
  if (reused && near * lane_bytes <= kNearSliceBytes) return near;
  if (gathered_bytes(job) <= 2 * kSliceBytes) return widest;
  // Every slice computes the masks of its entries again; and if the narrowest
  // is far too large for the cache, slices only read the list more often.
  const int lanes = fitting(kSliceBytes);
  const bool fits = lanes * lane_bytes <= kSliceBytes;
  return fits && !job.mask.active ? lanes : widest;
}

template <typename C, typename In, typename Out, typename Index>
auto kernel_for(const RowSum<In, Out, Index>& job) {
  const bool values = job.edge_weight != nullptr || job.entry != nullptr ||
                      job.entry_half != nullptr;
  auto kernel = row_sum_kernel<C, Weights::values, In, Out, Index>;
  // Only features change the type, and they always have values.
  if constexpr (std::is_same_v<In, Out>) {
    if (!values && job.col_scale != nullptr) {
      kernel = row_sum_kernel<C, Weights::scales, In, Out, Index>;
    } else if (!values) {
      kernel = row_sum_kernel<C, Weights::ones, In, Out, Index>;
    }
  }
  return kernel;
}

template <typename C, typename In, typename Out, typename Index>
cudaError_t launch(const RowSum<In, Out, Index>& job, cudaStream_t stream) {
  const int64_t slices = divided_up(job.dim, C::kColumns);
  const bool block_rows = job.entries > kBlockRowDegree * job.rows;
  const int threads =
      block_rows || C::kGroups > 1 ? kBlockThreads : kSmallBlock;
  const int warps = threads / kWarp;
  const bool many = divided_up(job.rows, warps) * slices > kManyBlocks;
  Split split;
  split.rows_per_block = block_rows ? 1 : warps * (many ? kRowsPerWarp : 1);
  // With a block per row the other warps have nothing else to do.
  split.hub_degree =
      block_rows ? kBlockRowDegree / 4 : kHubBatches * C::kBatch * C::kGroups;
  split.streamed = gathered_bytes(job) > kSliceBytes;
  const auto kernel = kernel_for<C>(job);
  const dim3 grid(
      static_cast<unsigned>(divided_up(job.rows, split.rows_per_block)),
      static_cast<unsigned>(slices));
  kernel<<<grid, threads, 0, stream>>>(job, split);
  return cudaGetLastError();
}

}  // namespace

template <typename In, typename Out, typename Index>
cudaError_t launch_row_sum(const RowSum<In, Out, Index>& given,
                           cudaStream_t stream) {
  static_assert(std::is_same_v<Compute<In>, Compute<Out>>);
  if (given.rows == 0 || given.dim == 0) return cudaSuccess;
  RowSum<In, Out, Index> job = given;
  if (job.h_pitch == 0) job.h_pitch = job.dim;
  if (job.before_pitch == 0) job.before_pitch = job.dim;
  constexpr int V = kVector<In>;
  const bool wide = job.dim % V == 0 && job.h_pitch % V == 0 &&
                    job.before_pitch % V == 0 &&
                    all_aligned(job.h, job.before, job.out, job.bias);
  if (!wide) return launch<Cover<kWarp, kPerLane, 1>>(job, stream);
  // Lists with wide indices are too long for any cache.
  if constexpr (sizeof(Index) == 4) {
    const int lanes = slice_lanes(job);
    if (lanes == 8) return launch<Cover<8, 1, V>>(job, stream);
    if (lanes == 16) return launch<Cover<16, 1, V>>(job, stream);
  }
  return launch<Cover<kWarp, 1, V>>(job, stream);
}

#define ORDERED_GNN_INSTANTIATE(In, Out, Index)                          \
  template cudaError_t launch_row_sum(const RowSum<In, Out, Index>& job, \
                                      cudaStream_t stream);
ORDERED_GNN_INSTANTIATE(float, float, int32_t)
ORDERED_GNN_INSTANTIATE(float, float, int64_t)
ORDERED_GNN_INSTANTIATE(double, double, int32_t)
ORDERED_GNN_INSTANTIATE(double, double, int64_t)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16, __nv_bfloat16, int32_t)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16, __nv_bfloat16, int64_t)
ORDERED_GNN_INSTANTIATE(float, __nv_bfloat16, int32_t)
ORDERED_GNN_INSTANTIATE(__nv_bfloat16, float, int32_t)

}  // namespace ordered_gnn::cuda
