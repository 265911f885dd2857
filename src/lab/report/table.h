#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/text/csv_writer.h"

namespace ordered_gnn::lab {

enum class Align { left, right };

/// A table of text cells, written for the terminal, for Markdown, for LaTeX and
/// as CSV.
class ReportTable {
 public:
  /// @param align  per column; when empty the first column is left-aligned and
  ///               the others are right-aligned.
  /// @throws Error without columns, or when `align` has another length.
  explicit ReportTable(std::vector<std::string> header,
                       std::vector<Align> align = {});

  /// Missing cells at the end are empty.
  /// @throws Error when the row is longer than the header.
  void add(std::vector<std::string> row);

  const std::vector<std::string>& header() const { return header_; }
  const std::vector<Align>& align() const { return align_; }
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  /// Columns two blanks apart, a rule below the header, no blanks at line ends.
  /// Line breaks within a cell become blanks, here and in markdown(); what a
  /// terminal would obey is shown, see core::visible().
  std::string text() const;
  /// A pipe table, its source aligned too; | is escaped.
  std::string markdown() const;
  /// A tabular of the package booktabs; what LaTeX reads as more than itself is
  /// escaped.
  std::string latex() const;
  /// One line per row, fields quoted as core::CsvWriter does.
  /// @param num_guarded  grows by the cells that were changed; may be null.
  std::string csv(core::FormulaText formulas = core::FormulaText::guarded,
                  int64_t* num_guarded = nullptr) const;

 private:
  std::vector<std::vector<std::string>> lines() const;

  std::vector<std::string> header_;
  std::vector<Align> align_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ordered_gnn::lab
