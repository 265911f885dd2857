#include "data/fetch/content_range.h"

#include <charconv>

#include "core/affixes.h"

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
  if (!core::take_prefix(text, "bytes ")) return {};
  ContentRange range;
  range.offset = take_number(text);
  if (range.offset < 0 || !core::take_prefix(text, "-")) return {};
  if (take_number(text) < range.offset || !core::take_prefix(text, "/")) {
    return {};
  }
  if (text != "*") range.total = take_number(text);
  return range;
}

}  // namespace ordered_gnn::data
