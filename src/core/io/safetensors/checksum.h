#pragma once
#include <string>

#include "core/io/safetensors/safetensors.h"

namespace ordered_gnn::core {

/// The key of `__metadata__` under which a file has its content_sha256().
constexpr const char* kChecksumKey = "content_sha256";

/// SHA-256 of all that a file says, in the order of names: the number of
/// metadata but for kChecksumKey, key and text of each, then name, type
/// ("F32"), number of sizes, sizes and bytes of each tensor. Numbers are 64
/// bits, little end first, and texts have their length before them. Where in a
/// file things are, and its spaces, have no part in it.
/// @throws Error at `place` as to_writable() does.
std::string content_sha256(const TensorFile& content, const std::string& place);

}  // namespace ordered_gnn::core
