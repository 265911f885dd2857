#include "lab/bench/gpu_floor.h"

#include <ATen/Functions.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/core/ScalarType.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "lab/bench/gemm_floor.h"
#include "lab/bench/median.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kIndexBytes = 4;      // a column of an adjacency list
constexpr double kEntryBytes = 8;      // column and value of a sparse feature
constexpr double kParameterBytes = 4;  // parameters stay float32

struct Sizes {
  double nodes, entries, width, gates;
  bool has_transform;
};

double layer_bytes(const Sizes& s, double number) {
  const double rows_moved = (s.gates > 0 ? 8 : 6) + (s.has_transform ? 3 : 0);
  const double numbers = 2 * s.entries * s.width +
                         rows_moved * s.nodes * s.width + 5 * s.nodes * s.gates;
  return numbers * number + 2 * s.entries * kIndexBytes;
}

double feature_bytes(const NodeFeatures& features, const Sizes& s,
                     double dropout, double number) {
  const auto columns = static_cast<double>(features.num_features());
  if (features.kind() == NodeFeatures::Kind::dense) {
    return dropout > 0 ? 2 * s.nodes * columns * number : 0;
  }
  const auto entries = static_cast<double>(features.rows().col.numel());
  return 2 * s.nodes * s.width * number +
         2 * (entries * kEntryBytes + columns * s.width * kParameterBytes);
}

}  // namespace

double least_bytes(const NodeDataset& data, const RunOptions& options,
                   int64_t bytes_per_number) {
  const OrderedGnnOptions network = network_of(options);
  const auto number = static_cast<double>(bytes_per_number);
  const bool is_gated = network.gating != Gating::none;
  Sizes s{};
  s.nodes = static_cast<double>(data.num_nodes());
  s.entries = static_cast<double>(data.graph.num_edges());
  s.width = static_cast<double>(network.hidden);
  s.gates = is_gated ? s.width / static_cast<double>(network.chunk) : 0;
  s.has_transform = network.transform != Transform::none;
  double bytes = feature_bytes(data.features, s, network.dropout_theta, number);
  bytes +=
      static_cast<double>(network.mlp_layers) * 5 * s.nodes * s.width * number;
  bytes += static_cast<double>(network.layers) * layer_bytes(s, number);
  return bytes + s.nodes * static_cast<double>(data.num_classes) * number;
}

namespace {

constexpr int64_t kCopyBytes = int64_t{2} << 30;
constexpr int64_t kLeastCopyBytes = int64_t{1} << 20;
constexpr int kCopies = 10;
constexpr int kReplays = 20;

class Event : NonCopyable {
 public:
  Event() { C10_CUDA_CHECK(cudaEventCreate(&event_)); }
  // An error here has been reported by the call that caused it.
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

  void record() const {
    C10_CUDA_CHECK(
        cudaEventRecord(event_, c10::cuda::getCurrentCUDAStream().stream()));
  }
  double ms_since(const Event& start) const {
    C10_CUDA_CHECK(cudaEventSynchronize(event_));
    float ms = 0;
    C10_CUDA_CHECK(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Milliseconds of `work` on the current stream.
double median_ms(int repeats, const std::function<void()>& work) {
  const Event start, end;
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    start.record();
    work();
    end.record();
    times.push_back(end.ms_since(start));
  }
  return median(std::move(times));
}

// Captured, because an epoch is: calls from the host would take longer than
// the products of a small graph.
double products_ms(GemmFloor& floor) {
  // The operands were filled on another stream.
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  const c10::cuda::CUDAStreamGuard side(c10::cuda::getStreamFromPool());
  // cuBLAS makes its handle and workspace in the first call of a stream.
  floor.run_whole(1);
  floor.run_whole(1);
  C10_CUDA_CHECK(cudaDeviceSynchronize());
  at::cuda::CUDAGraph graph;
  graph.capture_begin();
  floor.run_whole(1);
  graph.capture_end();
  graph.replay();
  return median_ms(kReplays, [&] { graph.replay(); });
}

}  // namespace

double copy_bandwidth() {
  size_t free_bytes = 0, total_bytes = 0;
  C10_CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const int64_t bytes = std::clamp(static_cast<int64_t>(free_bytes / 4),
                                   kLeastCopyBytes, kCopyBytes);
  const at::TensorOptions options =
      at::TensorOptions().device(at::kCUDA).dtype(at::kByte);
  double ms = 0;
  {
    const at::Tensor from = at::zeros({bytes}, options);
    const at::Tensor to = at::empty({bytes}, options);
    to.copy_(from);
    ms = median_ms(kCopies, [&] { to.copy_(from); });
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  return 2 * static_cast<double>(bytes) / (1e-3 * ms);
}

GpuFloor measure_gpu_floor(const NodeDataset& data, const RunOptions& options) {
  const at::ScalarType storage = storage_of(options.execution);
  const auto number = static_cast<int64_t>(c10::elementSize(storage));
  GpuFloor result;
  result.copy_bytes_per_second = copy_bandwidth();
  result.bytes = least_bytes(data, options, number);
  {
    GemmFloor floor(data, options,
                    at::TensorOptions().device(at::kCUDA).dtype(storage));
    result.gemm_flop = floor.flop();
    result.ms_products = products_ms(floor);
  }
  c10::cuda::CUDACachingAllocator::emptyCache();
  return result;
}

}  // namespace ordered_gnn::lab
