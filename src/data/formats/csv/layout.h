#pragma once
#include <cstdint>

namespace ordered_gnn::data::csv_layout {

/// Files of a CSV folder and their headers; csv_dataset.h says what is in them.
inline constexpr const char* kEdges = "edges.csv";
inline constexpr const char* kLabels = "labels.csv";
inline constexpr const char* kFeatures = "features.csv";
inline constexpr const char* kSparse = "sparse_features.csv";
inline constexpr const char* kMasks = "masks.csv";
inline constexpr const char* kMeta = "dataset.json";

inline constexpr const char* kEdgeHeader = "source,target";
inline constexpr const char* kWeightedEdgeHeader = "source,target,weight";
inline constexpr const char* kLabelHeader = "node,label";
inline constexpr const char* kFeatureHeader = "node,<feature>,...";
inline constexpr const char* kSparseHeader = "node,feature,value";
inline constexpr const char* kMaskHeader = "node,split_0,split_1,...";

inline constexpr const char* kFormat = "ordered_gnn csv";
inline constexpr int64_t kVersion = 1;

}  // namespace ordered_gnn::data::csv_layout
