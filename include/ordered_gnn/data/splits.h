#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// Random splits of the labelled nodes.
struct RandomSplitOptions {
  double train = 0.48;  ///< shares of the labelled nodes, each above 0, with
  double val = 0.32;    ///< a sum of at most 1; what is left over is in no
  double test = 0.20;   ///< part
  int64_t count = 10;
  /// Shares hold within every class, as closely as whole nodes allow.
  bool stratified = false;
  uint64_t seed = 0;
};

/// True for "random:..." and "stratified:...".
bool is_random_split_set(const std::string& text);

/// Parses `random:TRAIN/VAL/TEST` or `stratified:TRAIN/VAL/TEST`, shares in
/// per cent, optionally followed by `xCOUNT`: "stratified:60/20/20x5".
/// @throws UsageError that shows the form.
RandomSplitOptions parse_random_splits(const std::string& text);

/// Split k depends on the seed and k alone, not on the count. Unlabelled nodes
/// are in no part.
/// @param labels  [N] int64.
/// @throws Error when a part would be empty.
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
