#pragma once
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// Plain text table: first column left-aligned, the others right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> row);
  /// Lines ending in newlines; a rule separates the header.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "84.32" for the fraction 0.8432; "-" for NaN.
std::string percent(double fraction);

}  // namespace ordered_gnn::cli
