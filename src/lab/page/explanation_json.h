#pragma once
#include "lab/page/explained_model.h"

/// Explanations for other programs. Keys are the names of the fields; numbers
/// that are not finite become null.
namespace ordered_gnn::lab {

/// Keys node distance change predicted.
Json to_json(const Influence& influence);

/// Keys node name label label_name predicted predicted_name runner_up
/// runner_up_name probabilities degree homophily hop_shares depth tree hops
/// cuts influences num_candidates, and attribution (see attribution_json.h)
/// where it was computed. Nodes and classes are numbers; those of influences
/// have a name and predicted_name too.
Json to_json(const ExplainedModel& model, const NodeExplanation& node);

/// Keys dataset model split classes parts layers all by_class by_degree
/// by_homophily by_part mistakes unusual, importance where it was measured, and
/// nodes where some were explained. The list of all nodes is left out; `ognn
/// predict` writes one.
Json to_json(const ExplainedModel& model);

}  // namespace ordered_gnn::lab
