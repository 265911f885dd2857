#pragma once
#include <filesystem>
#include <string>
#include <vector>

// Where published splits of a dataset are looked for.
namespace ordered_gnn::data {

/// The file `name` in the first of the folders that has it; empty when none
/// has.
std::filesystem::path find_in(const std::vector<std::filesystem::path>& folders,
                              const std::string& name);

/// Says that splits are in none of the folders.
/// @param what       "no split file: looked for NAME".
/// @param split_set  makes other splits.
std::string not_found_in(const std::vector<std::filesystem::path>& folders,
                         const std::string& what, const std::string& split_set);

}  // namespace ordered_gnn::data
