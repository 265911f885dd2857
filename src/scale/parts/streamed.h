#pragma once
#include <cstdint>
#include <filesystem>

#include "data/graph_source.h"
#include "scale/parts/manifest.h"
#include "scale/parts/plan.h"

namespace ordered_gnn::scale {

/// How a graph that is read piece by piece is cut.
struct StreamedCut {
  int64_t parts = 1;
  int64_t ranks = 0;  ///< that the halo is counted for; 0: one per part
  TreatmentChoice treatment;
  std::filesystem::path folder;
  bool replace = false;
  /// Bytes that may be in memory beside what every node takes: a bucket of the
  /// lists, or the lists of a run of parts (of one part in any case). 0: as
  /// memory is left.
  int64_t buffer = 0;
};

struct StreamedParts {
  PartsManifest manifest;
  HaloRows all_parts;  ///< every part a rank of its own
  HaloRows halo;       ///< of the ranks that were asked for
};

/// Why write_streamed() cannot cut it so; empty: it can. Node ids as features
/// are not written so, nor more parts than files may be open.
std::string why_not_streamed(data::GraphSource& source, const StreamedCut& cut);

/// Writes parts as assign_parts() by "stream" and write_parts() would do of the
/// same graph in memory, to the byte, with memory for every node and none for
/// every edge or feature: lists are sorted on disk, in the folder
/// `FOLDER.lists` beside the parts, which goes again. There are also the
/// features, where they come in another order or their least is needed first.
/// @throws UsageError as require_part_count(), when there are more parts than
///         nodes, more ranks than parts, and for why_not_streamed(); Error as
///         require_free_folder(), when the graph has weights that are not
///         ignored, when memory for the nodes is not there, and when
///         `FOLDER.lists` holds what no run has left.
StreamedParts write_streamed(data::GraphSource& source, const StreamedCut& cut);

}  // namespace ordered_gnn::scale
