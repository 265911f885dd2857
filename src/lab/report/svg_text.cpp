#include <fmt/format.h>

#include <cmath>

#include "lab/report/svg.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";

// Bytes of the UTF-8 character at the start of `text`; 0 when it is broken or
// not allowed in XML: overlong, a surrogate, U+FFFE, U+FFFF, beyond U+10FFFF.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) -> uint32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const uint32_t first = byte(0);
  if (first < 0x80) {
    const bool allowed = first >= 0x20 || first == '\t' || first == '\n';
    return allowed && first != 0x7f ? 1 : 0;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  uint32_t code = first & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool forbidden = code == 0xfffe || code == 0xffff || code > 0x10ffff;
  return code < kSmallest[length] || surrogate || forbidden ? 0 : length;
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = character_length(text);
    switch (text.front()) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string svg_number(double value) {
  if (!std::isfinite(value)) {
    fail("{} is no place in a picture; leave the point out", value);
  }
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace ordered_gnn::lab
