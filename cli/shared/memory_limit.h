#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace ordered_gnn::cli {

/// The bytes of "800M", "4G" or "2500000000".
/// @throws UsageError for anything else.
int64_t parse_bytes(const std::string& text);

/// Says what predicting so many nodes is about to need.
/// @param needed  bytes on top of what is in use.
/// @param limit   of all memory, see parse_bytes(); what is free when not
/// given.
/// @throws Error with the same text when that cannot be had.
std::string require_memory(int64_t nodes, int64_t needed,
                           const std::optional<std::string>& limit);

}  // namespace ordered_gnn::cli
