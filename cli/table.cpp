#include "table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ordered_gnn::cli {
namespace {

// Columns on the screen: bytes that do not continue a UTF-8 character.
size_t width_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(),
                    [](unsigned char c) { return (c & 0xc0u) != 0x80u; }));
}

}  // namespace

Table::Table(std::vector<std::string> header) {
  rows_.push_back(std::move(header));
}

void Table::add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Table::text() const {
  std::vector<size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(row[c]));
    }
  }
  std::string out;
  for (size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < widths.size(); ++c) {
      const std::string pad(widths[c] - width_of(rows_[r][c]), ' ');
      line += (c == 0 ? rows_[r][c] + pad : "  " + pad + rows_[r][c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) {
      size_t total = 2 * (widths.size() - 1);
      for (const size_t width : widths) total += width;
      out += std::string(total, '-') + "\n";
    }
  }
  return out;
}

std::string percent(double fraction) {
  return std::isfinite(fraction) ? fmt::format("{:.2f}", 100 * fraction) : "-";
}

}  // namespace ordered_gnn::cli
