#pragma once
#include <string>

#include "lab/report/table.h"

namespace ordered_gnn::cli {

using Table = lab::ReportTable;

/// "84.32" for the fraction 0.8432; "-" for NaN.
std::string percent(double fraction);

}  // namespace ordered_gnn::cli
