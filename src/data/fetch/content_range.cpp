#include "data/fetch/content_range.h"

#include <charconv>

namespace ordered_gnn::data {
namespace {

// Takes digits off the front of `text`; -1 when there are none.
int64_t take_number(std::string_view& text) {
  int64_t value = -1;
  const auto [stop, status] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || value < 0) return -1;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return value;
}

}  // namespace

ContentRange parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  if (text.substr(0, kUnit.size()) != kUnit) return {};
  text.remove_prefix(kUnit.size());
  ContentRange range;
  range.offset = take_number(text);
  if (range.offset < 0 || text.substr(0, 1) != "-") return {};
  text.remove_prefix(1);
  if (take_number(text) < range.offset || text.substr(0, 1) != "/") return {};
  text.remove_prefix(1);
  if (text != "*") range.total = take_number(text);
  return range;
}

}  // namespace ordered_gnn::data
