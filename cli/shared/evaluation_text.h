#pragma once
#include <string>
#include <vector>

#include "shared/evaluation.h"

namespace ordered_gnn::cli {

/// Scores of the parts, one line each.
std::string scores_text(const std::vector<EvaluatedPart>& parts);

/// Of one part: a table of the classes, the confusion matrix where it is not
/// too wide, and calibration.
std::string details_text(const EvaluatedPart& part,
                         const std::vector<std::string>& classes);

/// The part that details are shown of: the last with a labelled node; null
/// without any.
const EvaluatedPart* shown_part(const std::vector<EvaluatedPart>& parts);

}  // namespace ordered_gnn::cli
