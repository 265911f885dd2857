#include "core/visible_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/utf8.h"

namespace ordered_gnn::core {
namespace {

bool is_obeyed(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x206f);
}

std::string shown_code(uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\t') return "\\t";
  if (code == '\r') return "\\r";
  return code < 0x20 ? fmt::format("\\x{:02x}", code)
                     : fmt::format("\\u{:04x}", code);
}

}  // namespace

std::string visible(std::string_view text, LineBreaks breaks) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = utf8_length(text, &code);
    const bool is_break = code == '\n' || code == '\t';
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (is_obeyed(code) && !(is_break && breaks == LineBreaks::kept)) {
      out += shown_code(code);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace ordered_gnn::core
