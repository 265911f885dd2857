#pragma once
#include <filesystem>

#include "data/formats/ogb/tables.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Fills the splits of an OGB dataset with the set that the options choose;
/// ogb.h says where they are looked for.
void attach_ogb_splits(const std::filesystem::path& folder,
                       const LoadOptions& options, const OgbCount& nodes,
                       RawDataset& raw);

/// Name of the split set in `arxiv-year-splits.npy`.
inline constexpr const char* kArxivYearSplitSet = "arxiv-year";

/// Fills the splits from `arxiv-year-splits.npy`; notes where it looked when it
/// is not there and `required` is false.
void attach_arxiv_year_splits(const std::filesystem::path& folder,
                              const LoadOptions& options, bool required,
                              RawDataset& raw);

}  // namespace ordered_gnn::data
