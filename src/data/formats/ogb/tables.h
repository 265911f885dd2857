#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
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

/// The same in pieces of `most` edges.
void walk_ogb_edges(const std::filesystem::path& file, const OgbCount& nodes,
                    const OgbCount& edges, int64_t most,
                    const std::function<void(const at::Tensor&)>& on_edges);

/// Features of a row, as the first one has; 0 for an empty file.
int64_t ogb_width(const std::filesystem::path& file);

/// [N, F] float32.
at::Tensor read_ogb_features(const std::filesystem::path& file,
                             const OgbCount& nodes);

/// The same in pieces of `most` rows, in order.
void walk_ogb_features(const std::filesystem::path& file, const OgbCount& nodes,
                       int64_t most,
                       const std::function<void(const at::Tensor&)>& on_rows);

/// [N] int64, -1 = unlabelled.
at::Tensor read_ogb_labels(const std::filesystem::path& file,
                           const OgbCount& nodes);

std::vector<int64_t> read_ogb_years(const std::filesystem::path& file,
                                    const OgbCount& nodes);

/// Node numbers in rising order.
at::Tensor read_ogb_nodes(const std::filesystem::path& file,
                          const OgbCount& nodes);

}  // namespace ordered_gnn::data
