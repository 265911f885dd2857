#pragma once
#include <filesystem>
#include <vector>

#include "scale/engines/group.h"
#include "scale/parts/plan.h"
#include "scale/parts/reader.h"

namespace ordered_gnn::scale {

/// The lists of a part with columns that are places of rows: the part's own n
/// rows, then its halo.
struct LocalLists {
  Adjacency in, out;
  /// New ids of the halo, rising: nodes of other parts in either list.
  std::vector<int64_t> halo;
  std::vector<bool> sends;     ///< per halo node: it is in the in-list
  std::vector<bool> receives;  ///< per halo node: it is in the out-list
};

LocalLists local_lists(const Part& part);

/// Where one side's rows come from and go to, for one part of a rank.
struct PartRoutes {
  struct Take {
    int64_t slot;  ///< row of the result
    int64_t part;  ///< of this rank, counted from its first; -1: received
    int64_t row;   ///< of that part, or of what is received
  };
  struct Pack {
    int64_t row;    ///< of this part
    int64_t place;  ///< row of what is sent
  };
  std::vector<Take> takes;
  std::vector<Pack> packs;
};

/// What a rank sends and receives for one side.
struct SideRoutes {
  std::vector<int64_t> send_rows, receive_rows;  ///< per rank
  std::vector<PartRoutes> parts;                 ///< of the rank's parts

  int64_t sent() const;
  int64_t received() const;
};

struct RankRoutes {
  SideRoutes in, out;
};

/// Ranks tell each other once which rows they need; all call it.
/// @param bounds  first part of every rank, see rank_bounds().
RankRoutes make_routes(Group& group, const PartsManifest& manifest,
                       const std::vector<int64_t>& bounds,
                       const std::vector<LocalLists>& lists);

}  // namespace ordered_gnn::scale
