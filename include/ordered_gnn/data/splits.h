#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// Random splits of the labelled nodes.
struct RandomSplitOptions {
  double train = 0.48;  ///< shares of the labelled nodes, above 0 for train
  double val = 0.32;    ///< and val, 0 for no test part, with a sum of at
  double test = 0.20;   ///< most 1; what is left over is in no part
  int64_t count = 10;
  /// Shares hold within every class, as closely as whole nodes allow.
  bool stratified = false;
  uint64_t seed = 0;
};

/// True for "random:..." and "stratified:...".
bool is_random_split_set(const std::string& text);

/// Parses `random:TRAIN/VAL/TEST` or `stratified:TRAIN/VAL/TEST`, optionally
/// followed by `xCOUNT`: "stratified:60/20/20x5". Shares that add up to 100 are
/// per cent, those that add up to 1 are fractions: "stratified:0.6/0.2/0.2" is
/// the same as "stratified:60/20/20". TEST may be 0: there is no test part.
/// @throws UsageError that shows both forms, for any other sum too.
RandomSplitOptions parse_random_splits(const std::string& text);

/// Split k depends on the seed and k alone, not on the count. Unlabelled nodes
/// are in no part.
/// @param labels  [N] int64.
/// @throws Error when a part whose share is not 0 would be empty.
std::vector<Split> random_splits(const at::Tensor& labels,
                                 const RandomSplitOptions& options);

/// Parses "all" or a list of indices and ranges such as "0,3,5-7",
/// blanks around commas allowed.
/// @return indices in the order given.
/// @throws UsageError for bad text, an index out of range or given twice, or
///         when there are no splits at all.
std::vector<int64_t> parse_split_list(const std::string& text,
                                      int64_t num_splits);

}  // namespace ordered_gnn
