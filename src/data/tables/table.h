#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "data/tables/cells.h"
#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::data {

/// Kinds whose values are numbers.
inline bool holds_numbers(ColumnKind kind) {
  return kind == ColumnKind::number || kind == ColumnKind::date;
}

/// What stands for a missing number.
inline constexpr double kMissingNumber =
    std::numeric_limits<double>::quiet_NaN();

/// The values of one column. Numbers and dates are numbers (dates as days since
/// 1970-01-01), NaN where missing; categories and yes_no are positions in
/// `values`, -1 where missing. So are texts of at most 1000 different values: a
/// short table may not show that they are categories. Others are not kept.
struct TableColumn {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  std::vector<double> numbers;      ///< [N] of number and date
  std::vector<int32_t> codes;       ///< [N] of category, yes_no, short text
  std::vector<std::string> values;  ///< of category; of yes_no: no, yes
  int64_t num_missing = 0;
  int64_t num_distinct = 0;  ///< of a text: at least as many

  /// Whether `codes` and `values` hold the column.
  bool has_words() const { return !codes.empty(); }
};

/// Columns of equal length: what is known of every node, in the user's units.
struct Table {
  int64_t num_rows = 0;
  std::vector<TableColumn> columns;
};

/// What a column is asked to be.
struct AskedKind {
  ColumnKind kind = ColumnKind::number;
  std::optional<DateOrder> order;  ///< of a date; without: recognised
};

/// Parses "number", "category", "yes_no", "date", "text", "date:dmy",
/// "date:mdy" or "date:ymd".
AskedKind parse_asked_kind(const std::string& text);

}  // namespace ordered_gnn::data
