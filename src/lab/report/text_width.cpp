#include "lab/report/text_width.h"

#include <algorithm>

namespace ordered_gnn::lab {
namespace {

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

// Width of a character by its first byte, as a share of the font's size.
double character_width(char c) {
  constexpr std::string_view kNarrow = "ijltfrI.,:;'|!()[]/ -";
  constexpr std::string_view kWide = "mwMW@%";
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0xe3) return 1.0;  // from here on, mostly East Asian
  if (byte >= 0x80) return 0.7;
  if (kNarrow.find(c) != std::string_view::npos) return 0.38;
  if (kWide.find(c) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.6;
}

}  // namespace

size_t num_characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char c) { return !continues_character(c); }));
}

double text_width(std::string_view text, double size) {
  double sum = 0;
  for (const char c : text) {
    if (!continues_character(c)) sum += character_width(c);
  }
  return sum * size;
}

std::string fitted(std::string_view text, double size, double width) {
  if (text_width(text, size) <= width) return std::string(text);
  double used = size;  // the ellipsis
  size_t end = 0;
  while (end < text.size()) {
    used += character_width(text[end]) * size;
    if (used > width) break;
    do {
      ++end;
    } while (end < text.size() && continues_character(text[end]));
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace ordered_gnn::lab
