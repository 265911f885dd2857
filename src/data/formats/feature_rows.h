#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ordered_gnn/core/features.h"

namespace ordered_gnn::data {

/// Largest share of non-zero features that is still kept as sparse rows: an
/// entry of a sparse row takes twice the memory of a dense value and its
/// products run at a fraction of the speed.
inline constexpr double kMaxSparseShare = 0.25;

/// Feature rows read one after another, in any node order.
class FeatureRows {
 public:
  /// Adds an entry to the row being read; columns rise within a row.
  void add(int64_t column, float value) {
    col_.push_back(static_cast<int32_t>(column));
    value_.push_back(value);
  }
  void end_row() { row_end_.push_back(static_cast<int64_t>(col_.size())); }

  int64_t num_rows() const { return static_cast<int64_t>(row_end_.size()); }

  /// Features in which node v has the row read as number row_of_node[v];
  /// sparse when the share of entries allows, dense otherwise.
  NodeFeatures build(const std::vector<int64_t>& row_of_node,
                     int64_t num_features) const;

 private:
  int64_t row_begin(int64_t row) const {
    return row == 0 ? 0 : row_end_[row - 1];
  }
  SparseRows sparse_rows(const std::vector<int64_t>& row_of_node) const;
  at::Tensor dense_rows(const std::vector<int64_t>& row_of_node,
                        int64_t num_features) const;

  std::vector<int64_t> row_end_;
  std::vector<int32_t> col_;
  std::vector<float> value_;
};

/// Dense values [N, F] float32 in the form they are cheapest in.
NodeFeatures features_from_dense(const at::Tensor& values);

}  // namespace ordered_gnn::data
