#include "data/generators/random_labels.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "data/generators/random_streams.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"

namespace ordered_gnn::data {

std::vector<int64_t> balanced_classes(int64_t num_nodes, int64_t num_classes,
                                      uint64_t seed) {
  RandomStream random = stream_for(seed, Draw::labels);
  const at::Tensor order = random_permutation(num_nodes, random);
  const int64_t* const place = order.data_ptr<int64_t>();
  std::vector<int64_t> classes(num_nodes);
  for (int64_t v = 0; v < num_nodes; ++v) classes[v] = place[v] % num_classes;
  return classes;
}

void set_classes(RawDataset& raw, const std::vector<int64_t>& classes,
                 int64_t num_classes, const GeneratedSplits& splits) {
  raw.num_nodes = static_cast<int64_t>(classes.size());
  raw.num_classes = num_classes;
  raw.labels = at::empty({raw.num_nodes}, at::kLong);
  std::copy(classes.begin(), classes.end(), raw.labels.data_ptr<int64_t>());
  if (splits.count == 0) return;
  RandomSplitOptions options;
  options.train = splits.train;
  options.val = splits.val;
  const double left = 1 - splits.train - splits.val;
  options.test = left < 1e-9 ? 0 : left;
  options.count = splits.count;
  options.stratified = true;
  options.seed = splits.seed;
  if (options.train <= 0 || options.val <= 0 || left < -1e-9) {
    throw UsageError(
        fmt::format("train = {} and val = {} must be above 0 and add up to at "
                    "most 1; the rest is the test part",
                    splits.train, splits.val));
  }
  raw.splits = random_splits(raw.labels, options);
  raw.split_set = "generated";
}

}  // namespace ordered_gnn::data
