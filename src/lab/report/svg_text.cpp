#include <fmt/format.h>

#include <cmath>

#include "core/utf8.h"
#include "lab/report/svg.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kReplacement = "\xef\xbf\xbd";

// Bytes of the UTF-8 character at the start of `text`; 0 when it is broken or
// not allowed in XML.
size_t character_length(std::string_view text) {
  uint32_t code = 0;
  const size_t length = core::utf8_length(text, &code);
  const bool control = code < 0x20 && code != '\t' && code != '\n';
  const bool forbidden = code == 0x7f || code == 0xfffe || code == 0xffff;
  return control || forbidden ? 0 : length;
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
