#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// A part as its files hold it.
struct Part {
  int64_t index = 0;
  int64_t first = 0;  ///< new id of its first node
  Adjacency in, out;  ///< rows are its nodes, columns new ids
  NodeFeatures features;
  at::Tensor labels;    ///< [n] int64
  at::Tensor splits;    ///< [S, n] uint8: 0 none, 1 train, 2 val, 3 test
  at::Tensor original;  ///< [n] int64, rising

  int64_t rows() const { return original.numel(); }
};

/// Reads one part: every file is held against its checksum, and what it says
/// against the manifest.
/// @throws Error naming the file that is missing, cut, changed, or says what
///         cannot be, and what to do.
Part read_part(const std::filesystem::path& folder,
               const PartsManifest& manifest, int64_t part);

/// The same of labels, splits and original ids alone.
Part read_part_nodes(const std::filesystem::path& folder,
                     const PartsManifest& manifest, int64_t part);

/// Holds every file of every part against its checksum and reads nothing else.
void verify_parts(const std::filesystem::path& folder,
                  const PartsManifest& manifest);

}  // namespace ordered_gnn::scale
