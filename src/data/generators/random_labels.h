#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// A class for every node in random order; sizes differ by at most one.
std::vector<int64_t> balanced_classes(int64_t num_nodes, int64_t num_classes,
                                      uint64_t seed);

/// How a generated dataset is split, see random_splits().
struct GeneratedSplits {
  int64_t count = 0;
  double train = 0;
  double val = 0;
  uint64_t seed = 0;
};

/// Sets labels, number of classes and stratified splits of a generated
/// dataset.
/// @throws UsageError when train and val leave nothing for the test part.
void set_classes(RawDataset& raw, const std::vector<int64_t>& classes,
                 int64_t num_classes, const GeneratedSplits& splits);

}  // namespace ordered_gnn::data
