#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "data/load_dataset.h"
#include "scale/parts/streamed.h"

namespace ordered_gnn::scale {

// Folders of 300 nodes that are cut piece by piece, with loops and repeated
// edges.

// As OGB lays them out.
// @param shift   added to features in [0, 1).
// @param packed  by gzip.
std::filesystem::path write_ogb(const std::filesystem::path& folder,
                                double shift, bool packed);

struct CsvForm {
  const char* json = R"({"features": "dense"})";
  std::string prefix;  // of ids
  bool labels = true, masks = true, weights = false, packed = false;
  int64_t step = 1;  // between the nodes of consecutive rows of features
};

std::filesystem::path write_csv(const std::filesystem::path& folder,
                                const CsvForm& form);

// With so little memory that there are several buckets and walks.
StreamedCut cut_into(const std::filesystem::path& folder,
                     const DataOptions& options, int64_t parts);

// Cuts the data piece by piece.
void stream(DataOptions options, const std::filesystem::path& out,
            int64_t parts);

DataOptions of_path(const std::filesystem::path& path);

}  // namespace ordered_gnn::scale
