#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::fuzz {

/// One file, or one entry of an archive, inside a fuzzer's input.
struct Part {
  std::string name;
  std::string_view bytes;
};

/// Finds the parts of an input: `--file:NAME`, a line feed, and the content up
/// to the next `--file:`. Parts are left out when their name is not made of
/// letters, digits and `. _ - /`, leads out of its folder, or was there before;
/// so are those beyond the 64th.
std::vector<Part> split_parts(std::string_view input);

/// What split_parts() takes apart again.
std::string join_parts(const std::vector<Part>& parts);

/// All files below `folder` as one input, in name order.
std::string pack_folder(const std::filesystem::path& folder);

/// All entries of an `.npz` as one input.
std::string pack_npz(const std::filesystem::path& file);

}  // namespace ordered_gnn::fuzz
