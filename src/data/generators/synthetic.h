#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

struct SyntheticGenerator {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> keys;
  Json defaults;  ///< by key
};

/// Every generator: the block model `csbm` and one per paper_shapes() entry.
const std::vector<SyntheticGenerator>& synthetic_generators();

/// True for "synthetic:...".
bool is_synthetic_spec(const std::string& spec);

/// Generates from `synthetic:NAME` or `synthetic:NAME?key=value&key=value`.
/// The fingerprint is left to the caller.
/// @throws UsageError for an unknown name or key (naming the nearest), a key
///         given twice, or a value that does not fit (saying what does).
RawDataset generate_synthetic(const std::string& spec);

}  // namespace ordered_gnn::data
