#pragma once
#include <cstdint>

namespace ordered_gnn::data::npz_layout {

/// Names of the arrays in a dataset `.npz`; shapes are in npz_dataset.h.
inline constexpr const char* kEdges = "edges";
inline constexpr const char* kLabels = "node_labels";
inline constexpr const char* kFeatures = "node_features";
inline constexpr const char* kTrain = "train_masks";
inline constexpr const char* kVal = "val_masks";
inline constexpr const char* kTest = "test_masks";

/// What the published layout does not have.
inline constexpr const char* kRowptr = "features_rowptr";
inline constexpr const char* kCol = "features_col";
inline constexpr const char* kValue = "features_value";
inline constexpr const char* kShape = "features_shape";
inline constexpr const char* kIdentity = "features_identity";
inline constexpr const char* kEdgeWeights = "edge_weights";
inline constexpr const char* kMeta = "meta.json";
inline constexpr int64_t kVersion = 1;

}  // namespace ordered_gnn::data::npz_layout
