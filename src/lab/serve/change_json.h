#pragma once
#include "data/live/graph_change.h"
#include "data/live/live_graph.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// A change as requests and the log state it: an object with any of
///
///   remove_edges  [[source, target], ...]
///   remove_nodes  [id, ...]
///   add_nodes     [{id, features | columns | sparse, label}, ...]
///   add_edges     [[source, target] | {source, target, weight}, ...]
///   set_features  [{id, features | columns | sparse}, ...]
///   set_labels    [{id, label}, ...]
///
/// An id is a text or a whole number, which is its text. `features` has a
/// number per feature; `columns` names them, or the columns of the table that
/// the graph was made of, in the user's units; `sparse` is {indices, values},
/// all others being 0. A label is the name of a class, its number, or null.
///
/// @param also  other keys that may stand beside them.
/// @throws data::FieldError naming the field.
data::GraphChange change_from_json(const Json& body,
                                   const data::LiveGraph& graph,
                                   const std::vector<std::string>& also = {});

/// What change_from_json() reads back as the same change: features as numbers,
/// labels as numbers.
Json to_json(const data::GraphChange& change);

/// The text of an id.
/// @throws data::FieldError.
std::string id_from_json(const Json& id, const std::string& field);

}  // namespace ordered_gnn::lab
