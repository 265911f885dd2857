#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// One setting of a generator, as help texts list it.
struct SyntheticKey {
  std::string name;
  std::string default_value;
  std::string range;  ///< for example "1 to 100000000" or "true or false"
  std::string help;
};

struct SyntheticGenerator {
  std::string name;
  std::string summary;
  std::vector<SyntheticKey> keys;
};

/// Every generator: the block model `csbm` and one per paper_shapes() entry.
const std::vector<SyntheticGenerator>& synthetic_generators();

/// True for "synthetic:...".
bool is_synthetic_spec(const std::string& spec);

/// Generates from `synthetic:NAME` or `synthetic:NAME?key=value&key=value`.
/// The fingerprint is left to the caller.
/// @throws UsageError for an unknown name or key (naming the nearest), a key
///         given twice, or a value out of range (saying the range).
RawDataset generate_synthetic(const std::string& spec);

}  // namespace ordered_gnn::data
