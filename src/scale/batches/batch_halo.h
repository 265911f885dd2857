#pragma once
#include <vector>

#include "scale/batches/history.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/rank_parts.h"

namespace ordered_gnn::scale {

/// Rows of one other part in the halo of a part.
struct OwnedHalo {
  int64_t owner = 0;
  HistoryStore::Copies heard;             ///< those that send to the part
  std::vector<PartRoutes::Take> in, out;  ///< by side; `part` is the owner
};

/// The halo of a part, by who owns it.
struct BatchHalo {
  int64_t rows = 0;  ///< of the part itself
  int64_t halo = 0;
  std::vector<OwnedHalo> owners;
};

/// Of all parts of a graph, in order.
/// @param heard  gets of every part the rows that others hear, rising.
std::vector<BatchHalo> batch_halos(const PartsManifest& manifest,
                                   const std::vector<LocalLists>& lists,
                                   std::vector<std::vector<int64_t>>& heard);

/// How the members of a batch, numbered as they stand there, take rows from
/// each other.
RankRoutes batch_routes(const std::vector<BatchHalo>& halos,
                        const std::vector<int64_t>& members);

/// Lists of a part without the columns that are of absent parts.
/// @param is_present  per slot of the halo.
Adjacency lists_within(const Adjacency& lists, int64_t rows,
                       const std::vector<bool>& is_present);

}  // namespace ordered_gnn::scale
