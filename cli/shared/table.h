#pragma once
#include <cstddef>
#include <string>

#include "lab/report/score_text.h"
#include "lab/report/table.h"

namespace ordered_gnn::cli {

using Table = lab::ReportTable;
using lab::score_heading;
using lab::score_text;

/// "84.32" for the fraction 0.8432; "-" for NaN.
std::string percent(double fraction);

/// "84.32 ± 1.20" for fractions; without the deviation for one run, which has
/// none.
std::string mean_text(double mean, double deviation, size_t runs);

}  // namespace ordered_gnn::cli
