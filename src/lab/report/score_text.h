#pragma once
#include <string>

#include "ordered_gnn/train/options.h"

namespace ordered_gnn::lab {

/// A score as tables show it: "84.32" for the fraction 0.8432, in per cent;
/// "0.4321" for a log loss; "-" for NaN, which is what a part that is not there
/// scores.
std::string score_text(double value, Metric metric);

/// What to call such numbers: "accuracy, %", "log_loss".
std::string score_heading(Metric metric);

/// The score behind a number that select() gave.
double reported(double selected, Metric metric);

}  // namespace ordered_gnn::lab
