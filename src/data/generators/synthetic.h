#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/generators/customers.h"
#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

struct SyntheticGenerator {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> keys;
  Json defaults;  ///< by key
};

/// Every generator: the block model `csbm`, the tables `customers` and one per
/// paper_shapes() entry.
const std::vector<SyntheticGenerator>& synthetic_generators();

/// The options of `customers` or `customers?key=value&...`; no value for
/// another name. @throws UsageError as generate_synthetic() does.
std::optional<CustomerOptions> parse_customers(const std::string& spec);

/// True for "synthetic:...".
bool is_synthetic_spec(const std::string& spec);

/// Generates from `synthetic:NAME` or `synthetic:NAME?key=value&key=value`.
/// The fingerprint is left to the caller.
/// @throws UsageError for an unknown name or key (naming the nearest), a key
///         given twice, or a value that does not fit (saying what does).
RawDataset generate_synthetic(const std::string& spec);

}  // namespace ordered_gnn::data
