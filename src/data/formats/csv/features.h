#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/formats/csv/nodes.h"
#include "ordered_gnn/core/features.h"

namespace ordered_gnn::data {

enum class DefinesNodes { no, yes };

/// Reads features.csv; with DefinesNodes::yes its ids become `nodes`.
/// @param names  gets the names of the features.
/// @return [N, F] float32 in node order.
/// @throws Error for a wrong header, a bad number, a node without a row or with
///         two.
at::Tensor read_csv_features(const std::filesystem::path& file, NodeIds& nodes,
                             DefinesNodes defines,
                             std::vector<std::string>& names);

/// Reads sparse_features.csv. Stored zeros stay.
/// @param num_features  the width, or the largest feature number + 1.
/// @throws Error for a wrong header, a bad number, or a feature that a node has
///         twice.
NodeFeatures read_csv_sparse_features(const std::filesystem::path& file,
                                      const NodeIds& nodes,
                                      std::optional<int64_t> num_features);

}  // namespace ordered_gnn::data
