#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/page/figures.h"

namespace ordered_gnn::lab {

PlotFrame half_width_frame(const std::string& title) {
  PlotFrame frame;
  frame.title = title;
  frame.width = 520;
  return frame;
}

std::string percent_text(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f}", 100 * fraction) : "-";
}

std::string count_text(int64_t count) {
  std::string text = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

std::vector<HopRange> hop_ranges(size_t num_shares) {
  constexpr size_t kAllSingle = 9, kSingle = 5;
  std::vector<HopRange> out;
  for (size_t first = 0; first < num_shares;) {
    size_t last = first;
    if (num_shares > kAllSingle && first >= kSingle) {
      last = std::min(2 * (first - 1), num_shares - 1);
    }
    std::string name = "the node itself";
    if (first > 0) {
      name = first == last ? fmt::format("hop {}", first)
                           : fmt::format("hops {}-{}", first, last);
    }
    out.push_back({name, first, last});
    first = last + 1;
  }
  return out;
}

}  // namespace ordered_gnn::lab
