#pragma once
#include "ordered_gnn/page/explained_model.h"
#include "ordered_gnn/report/page.h"

namespace ordered_gnn::detail {

/// The browser of nodes with the lists of nodes to look at.
PageSection node_section(const ExplainedModel& model);

}  // namespace ordered_gnn::detail
