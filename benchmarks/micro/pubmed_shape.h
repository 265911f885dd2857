#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"

/// Random inputs with the sizes of the PubMed citation graph and of the model
/// usually trained on it.
namespace ordered_gnn::bench {

constexpr int64_t kNodes = 19717;
constexpr int64_t kEdges = 88648;  // ordered pairs
constexpr int64_t kFeatures = 500;
constexpr int64_t kFeaturesPerNode = 50;
constexpr int64_t kWidth = 256;
constexpr int64_t kGates = 64;

const Graph& pubmed_graph();
/// Sparse rows with kFeaturesPerNode entries each.
const NodeFeatures& pubmed_features();
/// Standard normal float32.
at::Tensor noise(at::IntArrayRef sizes);

}  // namespace ordered_gnn::bench
