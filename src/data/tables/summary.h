#pragma once
#include <string>
#include <vector>

#include "data/tables/table.h"
#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::data {

/// What a user is shown of a column.
struct ColumnSummary {
  std::string name;
  std::string kind;
  int64_t num_missing = 0;
  std::string treatment;  ///< "standardised, mean 41.2, deviation 12.9"
  int64_t num_features = 0;
};

/// @param table  may be null: missing values are then not known and 0.
std::vector<ColumnSummary> summarise(const std::vector<Column>& columns,
                                     const Table* table);

}  // namespace ordered_gnn::data
