#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn::lab {

/// Whether the last name of a path is that of a split's folder in the folder of
/// a run: split-0, split-12. What else begins with split- is not ours.
bool is_split_folder(const std::filesystem::path& path);

/// Deletes what run_splits(), write_curves() and a killed run leave in a
/// folder, by name: `summary.json`, and in every `split-K` that is a folder and
/// no link `model.safetensors`, `metrics.jsonl`, `result.json`,
/// `state.safetensors`, `curves.csv` and their temporaries; then the `split-K`
/// that are empty. Everything else stays, the marker too.
/// @return  what stayed but for `marker`, as paths from the folder, sorted; a
///          folder ends in a slash.
/// @throws Error naming what cannot be deleted.
std::vector<std::string> remove_run_files(const std::filesystem::path& folder,
                                          const std::string& marker);

}  // namespace ordered_gnn::lab
