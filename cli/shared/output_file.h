#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// Checks before any work that an output file may be written: its folder
/// exists and the file is new, or a regular file that begins with `signature`
/// (a file of ours) or for which `force` is set. What a killed process left of
/// writing it is deleted.
/// @throws UsageError or Error naming the file and what to do.
void require_writable(const std::filesystem::path& file,
                      const std::string& signature, bool force);

/// The same for files that may begin in one of several ways.
void require_writable(const std::filesystem::path& file,
                      const std::vector<std::string>& signatures, bool force);

}  // namespace ordered_gnn::cli
