#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "scale/parts/reader.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// The nodes of a graph in parts that are labelled or in any split, as a
/// dataset without edges and features: what is scored, and told of the data.
struct ScoredNodes {
  /// Nodes are numbered in the order of their original ids.
  NodeDataset data;
  /// [L] int64: where the rows that parts give, part by part and in the order
  /// of their nodes, belong among these nodes.
  at::Tensor place;
};

/// The rows of a part's nodes that are labelled or in any split, [l] int64.
at::Tensor scored_rows(const Part& part);

/// Reads labels, splits and original ids of all parts, and nothing else.
/// @param wire  of a run whose results it decides: the fingerprint tells it.
ScoredNodes read_scored_nodes(const std::filesystem::path& folder,
                              const PartsManifest& manifest,
                              Wire wire = Wire::fp32);

}  // namespace ordered_gnn::scale
