#pragma once
#include <string_view>

namespace ordered_gnn::core {

/// Whether `text` begins with `prefix`; every text begins with the empty one.
inline bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

/// Whether `text` ends in `suffix`; every text ends in the empty one.
inline bool ends_with(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

/// Takes `prefix` off the front of `text` when it is there; false, and `text`
/// as it was, when it is not.
inline bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!starts_with(text, prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// The same at the end of `text`.
inline bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!ends_with(text, suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace ordered_gnn::core
