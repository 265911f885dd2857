#pragma once
#include "lab/page/explained_model.h"
#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// Which columns matter on the whole graph; a sentence where none can.
/// @param model  one with importance.
PageSection attribute_section(const ExplainedModel& model);

/// "Accuracy on the 40 test nodes is 87.50 %, ...": how its numbers were made.
std::string importance_sentence(const ExplainedModel& model);

}  // namespace ordered_gnn::lab
