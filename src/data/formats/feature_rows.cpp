#include "data/formats/feature_rows.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::data {
namespace {

bool worth_sparse(int64_t entries, int64_t num_rows, int64_t num_features) {
  return static_cast<double>(entries) <= kMaxSparseShare *
                                             static_cast<double>(num_rows) *
                                             static_cast<double>(num_features);
}

}  // namespace

SparseRows FeatureRows::sparse_rows(
    const std::vector<int64_t>& row_of_node) const {
  const int64_t num_nodes = static_cast<int64_t>(row_of_node.size());
  const int64_t num_entries = static_cast<int64_t>(col_.size());
  SparseRows rows{at::empty({num_nodes + 1}, at::kLong),
                  at::empty({num_entries}, at::kInt),
                  at::empty({num_entries}, at::kFloat)};
  int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  int32_t* const col = rows.col.data_ptr<int32_t>();
  float* const value = rows.value.data_ptr<float>();
  rowptr[0] = 0;
  for (int64_t v = 0; v < num_nodes; ++v) {
    const int64_t begin = row_begin(row_of_node[v]);
    const int64_t end = row_end_[row_of_node[v]];
    std::copy(col_.begin() + begin, col_.begin() + end, col + rowptr[v]);
    std::copy(value_.begin() + begin, value_.begin() + end, value + rowptr[v]);
    rowptr[v + 1] = rowptr[v] + end - begin;
  }
  return rows;
}

at::Tensor FeatureRows::dense_rows(const std::vector<int64_t>& row_of_node,
                                   int64_t num_features) const {
  const int64_t num_nodes = static_cast<int64_t>(row_of_node.size());
  at::Tensor values = at::zeros({num_nodes, num_features}, at::kFloat);
  float* const out = values.data_ptr<float>();
  for (int64_t v = 0; v < num_nodes; ++v) {
    const int64_t row = row_of_node[v];
    for (int64_t e = row_begin(row); e < row_end_[row]; ++e) {
      out[v * num_features + col_[e]] = value_[e];
    }
  }
  return values;
}

NodeFeatures FeatureRows::build(const std::vector<int64_t>& row_of_node,
                                int64_t num_features) const {
  const int64_t entries = static_cast<int64_t>(col_.size());
  if (worth_sparse(entries, num_rows(), num_features)) {
    return NodeFeatures::sparse(sparse_rows(row_of_node), num_features);
  }
  return NodeFeatures::dense(dense_rows(row_of_node, num_features));
}

NodeFeatures features_from_dense(const at::Tensor& values) {
  // Checks for NaN and infinity with the node's place, whatever the form.
  NodeFeatures dense = NodeFeatures::dense(values);
  const at::Tensor& flat = dense.dense_values();
  // Without a column there may be any number of rows.
  if (flat.numel() == 0) return dense;
  const int64_t num_nodes = flat.size(0);
  const int64_t num_features = flat.size(1);
  const float* const data = flat.data_ptr<float>();
  const int64_t zeros = std::count(data, data + flat.numel(), 0.0f);
  if (!worth_sparse(flat.numel() - zeros, num_nodes, num_features)) {
    return dense;
  }
  // A column and a value each, here and in what is built of them.
  require_memory(16 * (flat.numel() - zeros), "features",
                 "leaving their zeros out");
  FeatureRows rows;
  for (int64_t v = 0; v < num_nodes; ++v) {
    for (int64_t f = 0; f < num_features; ++f) {
      const float value = data[v * num_features + f];
      if (value != 0) rows.add(f, value);
    }
    rows.end_row();
  }
  std::vector<int64_t> in_order(num_nodes);
  std::iota(in_order.begin(), in_order.end(), int64_t{0});
  return rows.build(in_order, num_features);
}

}  // namespace ordered_gnn::data
