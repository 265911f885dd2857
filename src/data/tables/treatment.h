#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "data/tables/table.h"
#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::data {

/// Fits the treatment of every column on a table, see Column.
///   number    log-scaled when no value is negative, the skewness is above 2.5
///             and its logarithm's is less than half of that; mean and
///             deviation (of the population) of the values that are there,
///             deviation 1 for a constant column; fill is the median
///   date      as a number of days
///   category  the values of at least max(3, N / 1000) nodes, the 100 most
///             frequent at most; has_other when some are left
/// A column is flagged as missing when a value of this table is.
std::vector<Column> fit_columns(const Table& table);

/// The features [N, F] float32 that the treatment makes of a table; columns are
/// matched by name, in any order. Kinds may differ where the values still fit
/// (a number where yes and no were 0 and 1).
/// @param notes  gets what was filled, left out or never seen before.
/// @throws Error naming the columns that are missing or extra, or the column
///         whose values are of another kind.
at::Tensor apply_columns(const Table& table, const std::vector<Column>& columns,
                         MissingColumns policy,
                         std::vector<std::string>& notes);

}  // namespace ordered_gnn::data
