#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// The words of "a,b,c", without the blanks around them; none of an empty text.
/// @throws UsageError naming the option for an empty place.
std::vector<std::string> list_words(const std::string& option,
                                    const std::string& text);

/// The numbers of "42,43", each fit for --seed.
/// @throws UsageError for anything else.
std::vector<int64_t> list_seeds(const std::string& text);

}  // namespace ordered_gnn::cli
