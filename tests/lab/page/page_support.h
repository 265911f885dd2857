#pragma once
#include "lab/page/explained_model.h"

namespace ordered_gnn::lab {

/// A made-up explanation of four nodes in a line (0 - 1 - 2 - 3), two classes
/// and two gated layers; node 3 has no label and node 2 is a mistake of the
/// test part, explained in full.
ExplainedModel line_of_four();

/// The same with names of nodes ("ann", "3", "bob", "eve"), three columns, what
/// they mattered to node 2, and their importance.
ExplainedModel with_attributes();

/// The same of a model that shows nothing but its predictions.
ExplainedModel without_layers();

}  // namespace ordered_gnn::lab
