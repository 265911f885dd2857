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
  /// Of these the ones that the loss hears in the last layer: they send to a
  /// training node, or are one; empty until a split is chosen.
  std::vector<bool> sends_to_loss, receives_for_loss;

  int64_t rows() const { return in.rowptr.numel() - 1; }
};

LocalLists local_lists(const Part& part);

/// Marks the halo nodes that the loss hears.
/// @param is_trained  [n + H, 1] int64: 1 for training nodes, of which those of
///                    the halo that receive are read.
void mark_loss(const at::Tensor& is_trained, LocalLists& lists);

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
  std::vector<int64_t> arrivals;    ///< messages that it takes rows of
  std::vector<int64_t> neighbours;  ///< parts of this rank, likewise
};

/// Rows of one part that go to a rank in one message: as soon as the part has
/// them.
struct Message {
  int64_t part;   ///< whose rows they are, of all parts
  int64_t rank;   ///< the other one
  int64_t first;  ///< row of what is sent or received
  int64_t rows;
};

/// What a rank sends and receives for one side.
struct SideRoutes {
  std::vector<int64_t> send_rows, receive_rows;  ///< per rank
  std::vector<PartRoutes> parts;                 ///< of the rank's parts
  std::vector<Message> sends, arrivals;          ///< in the order of rows
  /// Original ids of the nodes whose rows travel, see share_nodes().
  std::vector<int64_t> sent_nodes, received_nodes;

  int64_t sent() const;
  int64_t received() const;
};

struct RankRoutes {
  SideRoutes in, out;
  int64_t first_part = 0;  ///< of the rank, among all
};

/// Which nodes of the halo a side is about.
using HaloMarks = std::vector<bool> LocalLists::*;

/// Ranks tell each other once which rows they need; all call it.
/// @param bounds  first part of every rank, see rank_bounds().
RankRoutes make_routes(Group& group, const PartsManifest& manifest,
                       const std::vector<int64_t>& bounds,
                       const std::vector<LocalLists>& lists,
                       HaloMarks in = &LocalLists::sends,
                       HaloMarks out = &LocalLists::receives);

/// Ranks tell each other of which nodes the rows of a side are; all call it.
/// @param original  of the rank's parts, [n] int64.
void share_nodes(Group& group, const std::vector<at::Tensor>& original,
                 SideRoutes& side);

}  // namespace ordered_gnn::scale
