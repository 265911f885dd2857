#pragma once
#include <filesystem>
#include <string>

namespace ordered_gnn::data {

/// Name of a dataset that has none but its path: the file's stem or the last
/// folder that is not called "raw".
std::string name_from_path(const std::filesystem::path& path);

/// Folder of this program in the user's cache, `ognn` in `$XDG_CACHE_HOME` or
/// `~/.cache`; empty when neither is set. It need not exist.
std::filesystem::path user_cache_folder();

/// True when there is something at `path` that this process may see.
bool is_there(const std::filesystem::path& path);

/// True when `path`, taken from a file of others, names something below the
/// folder it is relative to: not empty, not absolute, no "..", no backslash
/// and no control character.
bool stays_below(const std::string& path);

}  // namespace ordered_gnn::data
