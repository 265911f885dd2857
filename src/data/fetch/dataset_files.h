#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {

/// What a data root holds of one named dataset.
struct DatasetFiles {
  std::string name;
  /// The folder of the search order that lacks the fewest files, the first of
  /// them when several do.
  std::filesystem::path folder;
  std::vector<std::string> missing;  ///< names in `folder`

  bool complete() const { return missing.empty(); }
};

/// The files of `named` that `folder` holds neither plain nor gzipped. Split
/// files are not counted: a dataset can be used without them.
std::vector<std::string> missing_files(const NamedDataset& named,
                                       const std::filesystem::path& folder);

/// Searches one data root.
DatasetFiles find_dataset_files(const NamedDataset& named,
                                const std::filesystem::path& root);

}  // namespace ordered_gnn::data
