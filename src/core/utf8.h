#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// Bytes of the UTF-8 character at the start of `text`; 0 when it is broken,
/// overlong, a surrogate or beyond U+10FFFF, or when there is no text.
/// @param code  gets the character; may be null.
size_t utf8_length(std::string_view text, uint32_t* code = nullptr);

/// Whether all of `text` is UTF-8.
bool is_utf8(std::string_view text);

/// Adds the character to the end of `out`.
/// @param code  up to U+10FFFF.
void append_utf8(uint32_t code, std::string& out);

}  // namespace ordered_gnn::core
