#include "ordered_gnn/train/execution.h"

#include <fmt/format.h>
#include <torch/cuda.h>

#include <algorithm>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kDeviceNames = {"cpu", "cuda"};
const std::vector<std::string> kMathNames = {"fp32", "tf32", "bf16"};

}  // namespace

std::string to_string(Device device) {
  return kDeviceNames[static_cast<size_t>(device)];
}
Device parse_device(const std::string& name) {
  return core::parse_enum<Device>("device", name, kDeviceNames);
}
std::string to_string(Math math) {
  return kMathNames[static_cast<size_t>(math)];
}
Math parse_math(const std::string& name) {
  return core::parse_enum<Math>("math", name, kMathNames);
}

const std::vector<Option<ExecutionOptions>>& execution_option_table() {
  using O = ExecutionOptions;
  const char* const kGroup = "Execution";
  static const std::vector<Option<O>> table = {
      enum_option<O>(
          "device", kGroup, [](O & o) -> auto& { return o.device; },
          parse_device, kDeviceNames, "where to compute"),
      enum_option<O>(
          "math", kGroup, [](O & o) -> auto& { return o.math; }, parse_math,
          kMathNames,
          "numbers: fp32; bf16 = rows of nodes stored in 16 bits, sums in "
          "32; tf32 = products of shortened factors, on a GPU"),
      enum_option<O>(
          "reorder", kGroup, [](O & o) -> auto& { return o.reorder; },
          parse_node_order, node_order_names(),
          "order of the nodes in memory while a model computes: degree = "
          "those read most often first; rcm, metis = neighbours near each "
          "other. Takes a second copy of the data; results are in the order "
          "of the data, with other roundings and dropout. 'ognn data info D "
          "--reorder' measures what it gains"),
      execution_only(zero_word(
          in_range(
              option<O>(
                  "threads", kGroup, [](O & o) -> auto& { return o.threads; },
                  "threads of the kernels; 0 or auto = one per physical core, "
                  "fewer for a small graph. Results do not depend on it"),
              0, 4096),
          "auto")),
      execution_only(option<O>(
          "pin", kGroup, [](O & o) -> auto& { return o.pin; },
          "keep every thread on a core of its own: for a machine that nobody "
          "else uses. Results do not depend on it")),
      execution_only(in_range(
          option<O>(
              "workers", kGroup, [](O & o) -> auto& { return o.workers; },
              "splits to train at a time, which share the cores, on a GPU "
              "each on a stream (32 at most); 0 = one per core, 1 = one "
              "after the other on all threads. Results do not depend on "
              "it"),
          0, 4096)),
      execution_only(option<O>(
          "max-memory", kGroup, [](O & o) -> auto& { return o.max_memory; },
          "refuse what would take more memory than this in all, for example "
          "4G; what is free when not given. Results do not depend on it")),
  };
  return table;
}

void validate(const ExecutionOptions& options) {
  for (const auto& entry : execution_option_table()) {
    check_option(entry.spec, entry.get(options));
  }
  max_memory_of(options);
  if (options.workers != 1 && options.threads > 1) {
    throw UsageError(
        fmt::format("runs share the cores with --workers {}, but --threads is "
                    "{}; leave out --threads or use --workers 1",
                    options.workers, options.threads));
  }
  if (options.pin && options.workers != 1) {
    throw UsageError(
        fmt::format("--pin is for one run at a time, but --workers is {}; "
                    "leave out --pin or use --workers 1",
                    options.workers));
  }
  if (options.pin && options.device != Device::cpu) {
    throw UsageError("--pin is for the CPU; leave out --pin or --device cuda");
  }
  if (options.math == Math::tf32 && options.device != Device::cuda) {
    throw UsageError(
        "--math tf32 is for GPUs; add --device cuda, or use --math bf16");
  }
}

std::string missing_device(const ExecutionOptions& options) {
  if (options.device == Device::cpu) return "";
#if ORDERED_GNN_HAS_CUDA
  if (torch::cuda::is_available()) return "";
  return "no CUDA device was found (see what 'nvidia-smi' says); use --device "
         "cpu";
#else
  return "this build has no CUDA kernels; use --device cpu or build the 'cuda' "
         "preset against a CUDA LibTorch";
#endif
}

int64_t max_memory_of(const ExecutionOptions& options) {
  return options.max_memory.empty() ? 0 : parse_memory_size(options.max_memory);
}

at::Device device_of(const ExecutionOptions& options) {
  return at::Device(options.device == Device::cuda ? at::kCUDA : at::kCPU);
}

at::ScalarType storage_of(const ExecutionOptions& options) {
  return options.math == Math::bf16 ? at::kBFloat16 : at::kFloat;
}

int64_t num_workers(const ExecutionOptions& options) {
  const int64_t workers =
      options.workers > 0 ? options.workers : default_threads();
  return options.device == Device::cpu ? workers
                                       : std::min(workers, kMostGpuWorkers);
}

}  // namespace ordered_gnn
