#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/data/columns.h"

namespace ordered_gnn::explain {

/// What a column's value was before it became features; see attribute_text().
/// @param features  those of the column, num_features of them.
std::string column_text(const Column& column,
                        const std::vector<float>& features);

/// Six digits, without an exponent below 10^15.
std::string value_text(double value);

}  // namespace ordered_gnn::explain
