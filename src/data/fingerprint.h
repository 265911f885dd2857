#pragma once
#include <string>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// SHA-256 (64 hexadecimal digits) of what the dataset says: edges, features,
/// labels and splits with their shapes and types. Names, notes and file paths
/// do not count, so a converted copy has the fingerprint of its source.
///
/// Every array enters as the digests of its 1 MiB pieces, which are computed
/// side by side; the result does not depend on the number of threads.
std::string content_fingerprint(const RawDataset& raw);

}  // namespace ordered_gnn::data
