#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordered_gnn::lab {

/// A table as it is printed.
struct PaperTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<int64_t> runs;  ///< behind the values of a column; 0: not said
  /// System and its values, a word per column: "86.22±4.12", "89.10", or "-"
  /// where there is none.
  std::vector<std::pair<std::string, std::string>> rows;
};

const std::vector<PaperTable>& paper_tables();

}  // namespace ordered_gnn::lab
