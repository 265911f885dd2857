#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace ordered_gnn::data {

/// Readers for the header-less tables of an OGB folder; see ogb.h for their
/// content. All throw Error as "file:line: why".

/// A size stated by a num-*-list file, which must hold exactly one number.
struct OgbCount {
  std::filesystem::path file;
  int64_t count = 0;
};
OgbCount read_ogb_count(const std::filesystem::path& file);

/// [2, E] int64 with E as counted.
at::Tensor read_ogb_edges(const std::filesystem::path& file,
                          const OgbCount& nodes, const OgbCount& edges);

/// [N, F] float32.
at::Tensor read_ogb_features(const std::filesystem::path& file,
                             const OgbCount& nodes);

/// [N] int64, -1 = unlabelled.
at::Tensor read_ogb_labels(const std::filesystem::path& file,
                           const OgbCount& nodes);

std::vector<int64_t> read_ogb_years(const std::filesystem::path& file,
                                    const OgbCount& nodes);

/// Node numbers in rising order.
at::Tensor read_ogb_nodes(const std::filesystem::path& file,
                          const OgbCount& nodes);

}  // namespace ordered_gnn::data
