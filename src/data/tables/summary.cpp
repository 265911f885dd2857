#include "data/tables/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/tables/cells.h"

namespace ordered_gnn::data {
namespace {

std::string joined_values(const std::vector<std::string>& values) {
  constexpr size_t kShown = 4;
  std::string text;
  for (size_t i = 0; i < values.size() && i < kShown; ++i) {
    text += (i > 0 ? ", " : "") + values[i];
  }
  return values.size() > kShown ? text + ", ..." : text;
}

std::string scale_text(const Column& column) {
  if (column.kind == ColumnKind::date) {
    return fmt::format("days around {}, and the time of the year",
                       date_text(column.mean));
  }
  return fmt::format(
      "{}, mean {:.4g}, deviation {:.4g}",
      column.log_scaled ? "logarithm, standardised" : "standardised",
      column.mean, column.deviation);
}

std::string treatment_of(const Column& column, const TableColumn* from) {
  std::string text;
  switch (column.kind) {
    case ColumnKind::number:
    case ColumnKind::date:
      text = scale_text(column);
      break;
    case ColumnKind::yes_no:
      text = fmt::format("1 for {}, 0 for {}", column.categories[1],
                         column.categories[0]);
      break;
    case ColumnKind::category:
      text = fmt::format("one of {}{}: {}", column.categories.size(),
                         column.has_other ? " and other" : "",
                         joined_values(column.categories));
      break;
    case ColumnKind::text:
      return from != nullptr && from->num_distinct == 0
                 ? "left out: it is empty"
                 : "left out; --column NAME=category takes it";
  }
  if (column.flags_missing) text += "; missing values filled and flagged";
  return text;
}

}  // namespace

std::vector<ColumnSummary> summarise(const std::vector<Column>& columns,
                                     const Table* table) {
  std::vector<ColumnSummary> out;
  for (const Column& column : columns) {
    const TableColumn* from = nullptr;
    if (table != nullptr) {
      for (const TableColumn& candidate : table->columns) {
        if (candidate.name == column.name) from = &candidate;
      }
    }
    out.push_back({column.name, to_string(column.kind),
                   from == nullptr ? 0 : from->num_missing,
                   treatment_of(column, from), column.num_features});
  }
  return out;
}

}  // namespace ordered_gnn::data
