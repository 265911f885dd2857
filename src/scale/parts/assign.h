#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/data/dataset.h"
#include "scale/parts/plan.h"

namespace ordered_gnn::scale {

/// What a row costs besides its messages, in messages; see ops/cpu/blocks.h.
inline constexpr int64_t kRowCost = 32;

/// Whether this build was made with METIS.
bool has_metis();

/// Parts with few messages between them, by METIS: of about the same cost,
/// kRowCost + in-degree per node, and of about as many labelled nodes each.
/// @throws Error when the graph has 2^31 entries or more, or METIS fails;
///         UsageError when has_metis() is false.
Assignment assign_by_metis(const NodeDataset& data, int64_t parts);

/// The same greedily, in two walks over the nodes that hold nothing of the
/// graph but a part per node: a node joins the part that most of its neighbours
/// are in, times the share of that part's room that is left.
Assignment assign_by_stream(const NodeDataset& data, int64_t parts);

/// Parts as a file says: one number per node in the order of the nodes, as
/// lines of text (METIS writes such files) or as an `.npy` array.
/// @throws Error naming the file, and the line where there is one, for a number
///         that is no part, or when there are more or fewer than nodes.
Assignment assign_by_file(const std::filesystem::path& file, int64_t nodes,
                          int64_t parts);

/// A part that nobody chose takes a node of the largest.
void fill_empty_parts(int64_t parts, Assignment& assignment);

/// By "metis", "stream" or else the file of that name, and in the order of
/// order_parts() unless a file says which part is which.
/// @throws UsageError when there are more parts than nodes or less than one.
Assignment assign_parts(const NodeDataset& data, int64_t parts,
                        const std::string& method);

/// "metis" where this build has it, else "stream".
std::string default_method();

}  // namespace ordered_gnn::scale
