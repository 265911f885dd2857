#pragma once
#include <cstdint>
#include <filesystem>

#include "scale/parts/graph_source.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// How a graph that is read piece by piece is cut.
struct StreamedCut {
  int64_t parts = 1;
  /// Features raw or row_normalized; edge weights are not read.
  Treatment treatment;
  std::filesystem::path folder;
  bool replace = false;
  /// Entries of lists that are in memory at a time while they are written; a
  /// part's are in any case.
  int64_t most_entries = int64_t{1} << 26;
};

/// Writes parts as assign_parts() by "stream" and write_parts() would do of the
/// same graph in memory, with memory for every node and none for every edge:
/// lists are sorted on disk, in a folder beside the parts that goes again. The
/// fingerprint of the data, which nobody has seen whole, is empty.
/// @throws UsageError when there are more parts than nodes or less than one, or
///         for features that are neither raw nor row-normalised.
PartsManifest write_streamed(GraphSource& source, const StreamedCut& cut);

}  // namespace ordered_gnn::scale
