#pragma once
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace ordered_gnn::fuzz {

inline size_t times_in(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + word.size())) {
    ++count;
  }
  return count;
}

/// Ends the program unless every script element of a page is closed once: a
/// text that got into the page as it was would have closed another.
inline void require_closed_scripts(std::string_view html) {
  if (times_in(html, "<script") == times_in(html, "</script")) return;
  std::fprintf(stderr, "a text closes a script element of the page\n");
  std::abort();
}

}  // namespace ordered_gnn::fuzz
