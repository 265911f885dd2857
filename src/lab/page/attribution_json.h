#pragma once
#include "lab/page/explained_model.h"

/// What is said of attributes, for other programs and for the page's script.
namespace ordered_gnn::lab {

/// Keys why_none when there is nothing to attribute; else predicted
/// predicted_name log_odds baseline_log_odds probability baseline_probability
/// steps residual own_share own_total others_total attributes neighbours
/// num_neighbours. An attribute has name value own others and, where it was
/// tried, removal with change log_odds_change predicted predicted_name.
Json to_json(const ExplainedModel& model, const NodeAttribution& attribution);

/// Keys why_none when there is none; else metric part nodes score repeats
/// num_attributes attributes, each with name drop standard_error.
Json to_json(const ImportanceReport& report);

/// The strongest of it as node_attributes.js reads it.
Json browser_attribution(const ExplainedModel& model,
                         const NodeAttribution& attribution);

}  // namespace ordered_gnn::lab
