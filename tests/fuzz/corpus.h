#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace ordered_gnn::fuzz {

/// Longer seeds would be cut, see -max_len in `run`.
constexpr size_t kMostSeedBytes = 16384;

/// OUT/TARGET/NAME; makes the folder.
std::filesystem::path seed_of(const std::filesystem::path& out,
                              const std::string& target,
                              const std::string& name);

/// Seeds of the readers of datasets and of the formats below them.
/// @param scratch  a folder that is not there, and is not afterwards.
void write_data_seeds(const std::filesystem::path& out,
                      const std::filesystem::path& scratch);

/// Seeds of what users write around training, and of pages.
void write_text_seeds(const std::filesystem::path& out);

/// Seeds of what training leaves: checkpoints, folders of runs, results.
void write_run_seeds(const std::filesystem::path& out,
                     const std::filesystem::path& scratch);

}  // namespace ordered_gnn::fuzz
