#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn::data {

/// The names of `count` classes: those that are given, then the numbers of the
/// classes that have none.
std::vector<std::string> all_class_names(std::vector<std::string> names,
                                         int64_t count);

}  // namespace ordered_gnn::data
