#pragma once
#include "lab/page/explained_model.h"
#include "lab/report/page.h"

namespace ordered_gnn::lab {

/// The browser of nodes with the lists of nodes to look at.
PageSection node_section(const ExplainedModel& model);

}  // namespace ordered_gnn::lab
