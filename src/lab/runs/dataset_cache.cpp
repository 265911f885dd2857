#include "lab/runs/dataset_cache.h"

#include "lab/runs/split_worker.h"

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
    const NodeDataset& data = *found->second;
    write_treatment(data, options);
    return data;
  }
  auto data = std::make_shared<const NodeDataset>(load_with_treatment(options));
  // The same data goes by what was asked for and by what that turned out to be.
  loaded_[asked] = data;
  return *loaded_.emplace(cache_key(options.data), data).first->second;
}

const NodeDataset* DatasetCache::placed(const NodeDataset& data,
                                        const RunOptions& options) {
  if (options.execution.device == Device::cpu) return nullptr;
  auto& copy = placed_[{&data, storage_of(options.execution)}];
  if (!copy) copy = place_shared(data, options);
  return copy.get();
}

}  // namespace ordered_gnn::lab
