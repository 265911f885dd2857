#include "lab/serve/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {
namespace {

template <typename Value>
void append_shortest(std::string& out, Value value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(out), "{}", value);
  } else {
    out += "null";
  }
}

}  // namespace

void append_json_text(std::string& out, std::string_view text) {
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
  if (is_plain) {
    out += '"';
    out += text;
    out += '"';
  } else {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void append_json_number(std::string& out, float value) {
  append_shortest(out, value);
}

void append_json_number(std::string& out, double value) {
  append_shortest(out, value);
}

}  // namespace ordered_gnn::lab
