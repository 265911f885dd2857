#include "lab/compare/memory.h"

#include <algorithm>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/train/train.h"
#if ORDERED_GNN_HAS_CUDA
#include "train/cuda/device_memory.h"
#endif

namespace ordered_gnn::lab {
namespace {

constexpr int64_t kProbedEpochs = 2;
constexpr int64_t kMostMemoryBytes = 1 << 20;

int64_t host_growth(const std::function<void()>& body) {
  // What earlier runs left in the allocator would be taken again unseen.
  release_recycled_memory();
  const int64_t before = resident_memory_bytes();
  if (!reset_peak_memory()) return 0;
  body();
  return std::max<int64_t>(0, peak_memory_bytes() - before);
}

#if ORDERED_GNN_HAS_CUDA
int64_t device_growth(const std::function<void()>& body) {
  const int64_t before = training::device_bytes();
  training::reset_device_peak();
  body();
  return std::max<int64_t>(0, training::device_peak_bytes() - before);
}
#endif

int64_t growth_on(const std::string& device,
                  const std::function<void()>& body) {
#if ORDERED_GNN_HAS_CUDA
  if (device != "cpu") return device_growth(body);
#endif
  return device == "cpu" ? host_growth(body) : 0;
}

}  // namespace

MemoryBook::MemoryBook(const std::filesystem::path& folder)
    : file_(folder / "memory.json") {
  std::error_code ignored;
  if (!std::filesystem::exists(file_, ignored)) return;
  // What cannot be read is measured again.
  const std::optional<Json> json =
      core::parse_json_or_nothing(core::read_file(file_, kMostMemoryBytes));
  if (!json || !json->is_object()) return;
  for (const auto& [key, bytes] : json->items()) {
    if (core::is_whole_number(bytes)) bytes_[key] = bytes.get<int64_t>();
  }
}

int64_t MemoryBook::peak_of(const PlannedRun& run, const std::string& key,
                            const BatchOptions& batch, DatasetCache& datasets) {
  const auto known = bytes_.find(key);
  if (known != bytes_.end()) return known->second;
  RunOptions options = run.options;
  options.execution = batch.execution;
  options.execution.workers = 1;
  options.splits = std::to_string(run.split);
  options.train.epochs = std::min(options.train.epochs, kProbedEpochs);
  try {
    const NodeDataset& data = datasets.get(options);
    TrainHooks hooks;
    hooks.placed = datasets.placed(data, options);
    bytes_[key] = growth_on(to_string(batch.execution.device), [&] {
      train_split(data, run.split, options, hooks);
    });
  } catch (const Error&) {
    return 0;
  }
  core::write_file(file_, Json(bytes_).dump(1) + "\n");
  return bytes_[key];
}

}  // namespace ordered_gnn::lab
