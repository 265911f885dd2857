#include "lab/runs/dataset_cache.h"

#include "lab/runs/split_worker.h"
#include "train/placement.h"

namespace ordered_gnn::lab {
namespace {

std::string cache_key(const DataOptions& data) {
  return to_json(data_option_table(), data).dump();
}

}  // namespace

const NodeDataset& DatasetCache::get(RunOptions& options) {
  const std::string asked = cache_key(options.data);
  const auto found = loaded_.find(asked);
  if (found != loaded_.end()) {
    options.data.treatment = found->second.settled.treatment;
    options.data.split_set = found->second.settled.split_set;
    options.data.split_file = found->second.settled.split_file;
    return *found->second.data;
  }
  Loaded loaded;
  loaded.data =
      std::make_shared<const NodeDataset>(load_with_treatment(options));
  loaded.settled = options.data;
  // The same data goes by what was asked for and by what that turned out to be.
  loaded_[asked] = loaded;
  return *loaded_.emplace(cache_key(options.data), loaded).first->second.data;
}

const NodeDataset* DatasetCache::placed(const NodeDataset& data,
                                        const RunOptions& options) {
  if (training::takes_loaded_data(options.execution)) return nullptr;
  const bool on_gpu = options.execution.device == Device::cuda;
  auto& copy = placed_[{&data, on_gpu, storage_of(options.execution),
                        options.execution.reorder}];
  if (!copy) copy = place_shared(data, options);
  return copy.get();
}

}  // namespace ordered_gnn::lab
