#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "data/graph_source.h"
#include "ordered_gnn/data/loaders.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::data {

/// load_training_dataset() that shows the data before it is treated.
/// @param on_raw  may be empty.
NodeDataset load_training_dataset(
    DataOptions& options, const std::function<void(const RawDataset&)>& on_raw);

/// Where the files of a dataset are, and how they are read.
struct FoundDataset {
  const Loader* loader = nullptr;
  std::filesystem::path path;
  LoadOptions load;
  std::optional<Treatment> recommended;  ///< of datasets known by name
};
/// Of a name or a path; see resolve_dataset() for what throws.
FoundDataset find_dataset(const DataOptions& options,
                          const std::string& split_set);

/// @throws UsageError where the format fixes the names of its split sets and
///         this is none of them.
void require_split_set(const Loader& loader, const std::string& split_set);

/// The split set that is taken from the files themselves; "none" where splits
/// are drawn or come from a file of their own.
/// @throws UsageError for a form that cannot be; Error without the split file.
std::string split_set_of_files(const DataOptions& options);
/// Splits that are drawn or come from a file of their own, where that was
/// chosen.
void attach_chosen_splits(const DataOptions& options, RawDataset& raw);

/// What load_training_dataset() reads, piece by piece and before its treatment:
/// OGB folders, and CSV folders with dense features.
/// @param why_not  gets the reason where it returns null.
std::unique_ptr<GraphSource> open_training_dataset(DataOptions& options,
                                                   std::string& why_not);

}  // namespace ordered_gnn::data
