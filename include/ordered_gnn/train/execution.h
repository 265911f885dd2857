#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/node_order.h"

namespace ordered_gnn {

/// Where to compute.
enum class Device { cpu, cuda };
std::string to_string(Device device);
Device parse_device(const std::string& name);

/// Numbers on a GPU.
enum class Math {
  fp32,
  tf32,  ///< products of shortened factors
  bf16,  ///< rows of nodes stored in 16 bits, sums in 32
};
std::string to_string(Math math);
Math parse_math(const std::string& name);

/// How a run is executed. Of these only device, math and reorder show in its
/// result, the last one in roundings and in what dropout hits.
struct ExecutionOptions {
  Device device = Device::cpu;
  Math math = Math::fp32;
  /// Order of the nodes in memory; whatever comes out is in that of the data.
  NodeOrder reorder = NodeOrder::none;
  int64_t threads = 0;  ///< of the kernels; 0 = one per core at most
  bool pin = false;     ///< keeps threads on their cores
  int64_t workers = 1;  ///< runs at a time, where there are several
  /// Most memory of the process, as parse_memory_size() takes it; empty: what
  /// is free.
  std::string max_memory = {};
};

const std::vector<Option<ExecutionOptions>>& execution_option_table();

/// @throws UsageError when options do not fit each other.
void validate(const ExecutionOptions& options);

/// Why nothing can be computed on the device that is asked for, here and with
/// this build; empty when it can.
std::string missing_device(const ExecutionOptions& options);

/// What `max_memory` asks for, as set_max_memory() takes it.
/// @throws UsageError when it is no size.
int64_t max_memory_of(const ExecutionOptions& options);

/// LibTorch's name of the device.
at::Device device_of(const ExecutionOptions& options);

/// Type in which `math` stores the rows of nodes.
at::ScalarType storage_of(const ExecutionOptions& options);

/// Streams that LibTorch has for runs side by side on a GPU.
constexpr int64_t kMostGpuWorkers = 32;

/// Runs at a time that `workers` asks for, at least 1.
int64_t num_workers(const ExecutionOptions& options);

}  // namespace ordered_gnn
