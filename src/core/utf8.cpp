#include "core/utf8.h"

#include <cstring>

namespace ordered_gnn::core {

size_t utf8_length(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) -> uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  if (text.empty()) return 0;
  const uint32_t first = byte(0);
  size_t length = 1;
  uint32_t found = first;
  if (first >= 0x80) {
    if (first < 0xc2 || first > 0xf4) return 0;
    length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    found = first & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
      if ((byte(i) & 0xc0u) != 0x80u) return 0;
      found = found << 6 | (byte(i) & 0x3fu);
    }
    constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = found >= 0xd800 && found <= 0xdfff;
    if (found < kSmallest[length] || surrogate || found > 0x10ffff) return 0;
  }
  if (code != nullptr) *code = found;
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    // Plain ASCII, eight bytes at a time.
    uint64_t word = 0;
    if (text.size() >= sizeof(word)) {
      std::memcpy(&word, text.data(), sizeof(word));
      if ((word & 0x8080808080808080u) == 0) {
        text.remove_prefix(sizeof(word));
        continue;
      }
    }
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto add = [&out](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

}  // namespace ordered_gnn::core
