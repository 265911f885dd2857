#pragma once
#include <string>

#include "ordered_gnn/report/table.h"

namespace ordered_gnn::cli {

using Table = ReportTable;

/// "84.32" for the fraction 0.8432; "-" for NaN.
std::string percent(double fraction);

}  // namespace ordered_gnn::cli
