#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/tables/delimited_text.h"
#include "data/tables/table.h"

namespace ordered_gnn::data {

/// Takes the cells of a column that is no feature: ids, labels, weights.
class CellSink {
 public:
  virtual ~CellSink() = default;
  /// Told before the first cell: about how many will come.
  virtual void expect(size_t /*num_cells*/) {}
  virtual void add(std::string_view cell, int64_t line) = 0;
};

/// What to do with the columns of a table.
struct TableRequest {
  std::map<size_t, CellSink*> sinks;       ///< by position; no features
  std::vector<std::string> drop;           ///< names; neither
  std::map<std::string, AskedKind> asked;  ///< the others are recognised
};

/// Reads all rows once; columns whose first cells mislead are read again.
/// @param notes  gets what was recognised and can surprise.
/// @throws Error at the line of a record with more or fewer fields than the
///         header; UsageError for a name in `drop` or `asked` that is no
///         column.
Table read_table(const DelimitedText& text, const TableRequest& request,
                 std::vector<std::string>& notes);

}  // namespace ordered_gnn::data
