#pragma once
#include <filesystem>

namespace ordered_gnn::cli {

/// `ognn data info` of a folder of parts: what its manifest says, once all of
/// its files are held against their checksums.
/// @throws Error naming the file that is missing, cut or changed.
void print_parts_info(const std::filesystem::path& folder, bool json);

}  // namespace ordered_gnn::cli
