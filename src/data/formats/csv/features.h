#pragma once
#include <filesystem>
#include <functional>
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

/// The ids of features.csv become `nodes`, its numbers are not looked at.
void read_csv_feature_ids(const std::filesystem::path& file, NodeIds& nodes);

/// The names of the features.
std::vector<std::string> csv_feature_names(const std::filesystem::path& file);

/// Features of nodes that are known, `most` rows at a time as they stand in the
/// file: the nodes, [r] int64, and their rows, [r, F] float32.
/// @throws Error as read_csv_features() does.
using OnCsvRows =
    std::function<void(const at::Tensor& nodes, const at::Tensor& rows)>;
void walk_csv_features(const std::filesystem::path& file, const NodeIds& nodes,
                       int64_t most, const OnCsvRows& on_rows);

/// Reads sparse_features.csv. Stored zeros stay.
/// @param num_features  the width, or the largest feature number + 1.
/// @throws Error for a wrong header, a bad number, or a feature that a node has
///         twice.
NodeFeatures read_csv_sparse_features(const std::filesystem::path& file,
                                      const NodeIds& nodes,
                                      std::optional<int64_t> num_features);

}  // namespace ordered_gnn::data
