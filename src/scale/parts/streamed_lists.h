#pragma once
#include <cstdint>
#include <filesystem>

#include "data/fingerprint.h"
#include "data/graph_source.h"
#include "scale/parts/assign.h"
#include "scale/parts/list_cutter.h"

namespace ordered_gnn::scale {

/// The messages that Graph::from_edges() would make of a graph that is read
/// piece by piece, sorted on disk.
/// @param folder       for files kInLists and kOutLists.
/// @param entries      of lists, in memory at a time.
/// @param fingerprint  which is told all edges.
/// @throws Error naming an edge to a node that is not there.
StoredLists store_lists(data::GraphSource& source, const Treatment& treatment,
                        const std::filesystem::path& folder, int64_t entries,
                        data::StreamedFingerprint& fingerprint);

/// What assign_parts() by "stream" gives of the same graph in memory.
Assignment assign_streamed(const StoredLists& lists, const RawDataset& nodes,
                           int64_t parts);

}  // namespace ordered_gnn::scale
