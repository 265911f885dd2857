#pragma once
#include <string>
#include <string_view>

namespace ordered_gnn::lab {

/// Adds `text` as JSON has it. What is no UTF-8 becomes U+FFFD.
void append_json_text(std::string& out, std::string_view text);

/// Adds the shortest number that is read back as the same float; null for one
/// that is not finite.
void append_json_number(std::string& out, float value);
void append_json_number(std::string& out, double value);

/// Calls body(i) for 0 .. count - 1 with commas between, in brackets.
template <typename Body>
void append_json_list(std::string& out, size_t count, const Body& body) {
  out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    body(i);
  }
  out += ']';
}

}  // namespace ordered_gnn::lab
