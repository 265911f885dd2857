#pragma once
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// Datasets for many runs: each is loaded once for all runs with the same data
/// options, and copied to a GPU or into another type once. Not thread safe;
/// what it hands out is constant and may be shared.
class DatasetCache {
 public:
  /// The data of the options, into which what "auto" settings stand for is
  /// written back, see load_with_treatment(). Lives as long as the cache.
  /// @throws Error when it cannot be loaded.
  const NodeDataset& get(RunOptions& options);

  /// The copy of `data`, which came from get(), on the device, in the type and
  /// the order of the options; null where it can be used as it is.
  /// @throws Error with the sizes when a GPU has not enough memory.
  const NodeDataset* placed(const NodeDataset& data, const RunOptions& options);

 private:
  struct Loaded {
    std::shared_ptr<const NodeDataset> data;
    DataOptions settled;  ///< without "auto" where the data decides
  };

  std::map<std::string, Loaded> loaded_;
  // By the data, whether it is on a GPU, the type of rows and their order.
  std::map<std::tuple<const NodeDataset*, bool, at::ScalarType, NodeOrder>,
           std::unique_ptr<NodeDataset>>
      placed_;
};

}  // namespace ordered_gnn::lab
