#include "lab/report/table.h"

#include <algorithm>
#include <utility>

#include "core/visible_text.h"
#include "lab/report/text_width.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

using Row = std::vector<std::string>;

std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  return text;
}

std::string terminal_cell(const std::string& text) {
  return core::visible(on_one_line(text));
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : on_one_line(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string latex_cell(const std::string& text) {
  static const std::vector<std::pair<std::string, std::string>> kReplaced = {
      {"\\", "\\textbackslash{}"},
      {"&", "\\&"},
      {"%", "\\%"},
      {"$", "\\$"},
      {"#", "\\#"},
      {"_", "\\_"},
      {"{", "\\{"},
      {"}", "\\}"},
      {"~", "\\textasciitilde{}"},
      {"^", "\\textasciicircum{}"},
      {"<", "$<$"},
      {">", "$>$"},
      {"±", "$\\pm$"}};
  const std::string line = on_one_line(text);
  std::string out;
  for (size_t at = 0; at < line.size();) {
    size_t taken = 1;
    std::string written = line.substr(at, 1);
    for (const auto& [plain, escaped] : kReplaced) {
      if (line.compare(at, plain.size(), plain) != 0) continue;
      taken = plain.size();
      written = escaped;
    }
    out += written;
    at += taken;
  }
  return out;
}

template <typename Change>
std::vector<Row> changed(std::vector<Row> rows, const Change& change) {
  for (Row& row : rows) {
    for (std::string& cell : row) cell = change(cell);
  }
  return rows;
}

std::vector<size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], num_characters(row[c]));
    }
  }
  return widths;
}

std::string padded(const std::string& cell, size_t width, Align align) {
  const std::string pad(width - num_characters(cell), ' ');
  return align == Align::left ? cell + pad : pad + cell;
}

}  // namespace

ReportTable::ReportTable(std::vector<std::string> header,
                         std::vector<Align> align)
    : header_(std::move(header)), align_(std::move(align)) {
  if (header_.empty()) fail("a table needs at least one column");
  if (align_.empty()) {
    align_.assign(header_.size(), Align::right);
    align_.front() = Align::left;
  }
  if (align_.size() != header_.size()) {
    fail("a table of {} columns was given {} alignments", header_.size(),
         align_.size());
  }
}

void ReportTable::add(std::vector<std::string> row) {
  if (row.size() > header_.size()) {
    fail("a row of {} cells does not fit a table of {} columns", row.size(),
         header_.size());
  }
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::vector<std::string>> ReportTable::lines() const {
  std::vector<Row> all = {header_};
  all.insert(all.end(), rows_.begin(), rows_.end());
  return all;
}

std::string ReportTable::text() const {
  const std::vector<Row> all = changed(lines(), terminal_cell);
  const std::vector<size_t> widths = column_widths(all);
  std::string out;
  for (size_t r = 0; r < all.size(); ++r) {
    std::string line;
    for (size_t c = 0; c < widths.size(); ++c) {
      line += (c == 0 ? "" : "  ") + padded(all[r][c], widths[c], align_[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r > 0) continue;
    size_t total = 2 * (widths.size() - 1);
    for (const size_t width : widths) total += width;
    out += std::string(total, '-') + "\n";
  }
  return out;
}

std::string ReportTable::markdown() const {
  const std::vector<Row> all = changed(lines(), markdown_cell);
  std::vector<size_t> widths = column_widths(all);
  // The rule needs three characters to be one.
  for (size_t& width : widths) width = std::max<size_t>(width, 3);
  std::string out;
  for (size_t r = 0; r < all.size(); ++r) {
    for (size_t c = 0; c < widths.size(); ++c) {
      out += "| " + padded(all[r][c], widths[c], align_[c]) + " ";
    }
    out += "|\n";
    if (r > 0) continue;
    for (size_t c = 0; c < widths.size(); ++c) {
      const bool right = align_[c] == Align::right;
      out += "| " + std::string(widths[c] - 1, '-') + (right ? ": " : "- ");
    }
    out += "|\n";
  }
  return out;
}

std::string ReportTable::latex() const {
  const std::vector<Row> all = changed(lines(), latex_cell);
  std::string out = "% \\usepackage{booktabs}\n\\begin{tabular}{";
  for (const Align align : align_) out += align == Align::left ? 'l' : 'r';
  out += "}\n\\toprule\n";
  for (size_t r = 0; r < all.size(); ++r) {
    for (size_t c = 0; c < all[r].size(); ++c) {
      out += (c == 0 ? "" : " & ") + all[r][c];
    }
    out += " \\\\\n";
    if (r == 0) out += "\\midrule\n";
  }
  return out + "\\bottomrule\n\\end{tabular}\n";
}

std::string ReportTable::csv(core::FormulaText formulas,
                             int64_t* num_guarded) const {
  std::string out;
  core::CsvWriter csv(out, formulas);
  for (const Row& row : lines()) {
    for (const std::string& cell : row) csv.field(cell);
    csv.end_line();
  }
  csv.finish();
  if (num_guarded != nullptr) *num_guarded += csv.num_guarded();
  return out;
}

}  // namespace ordered_gnn::lab
