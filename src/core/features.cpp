#include "ordered_gnn/core/features.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

// Reads on after the first NaN or infinity: without a branch the loop is
// vectorised, and memory is the only thing it waits for.
bool all_finite(const float* values, int64_t count) {
  constexpr uint32_t kExponent = 0x7F800000;  // all set: NaN or infinity
  std::atomic<bool> finite{true};
  parallel_ranges(count, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    uint32_t found = 0;
    for (int64_t i = begin; i < end; ++i) {
      uint32_t bits = 0;
      std::memcpy(&bits, values + i, sizeof(bits));
      found |= (bits & kExponent) == kExponent;
    }
    if (found != 0) finite = false;
  });
  return finite;
}

[[noreturn]] void fail_value(int64_t node, int64_t feature, float value) {
  fail(
      "feature {} of node {} is {} (column and row, counted from 0); features "
      "are finite numbers: fill the gap, for example with the mean of the "
      "column, or leave the column out",
      feature, node, value);
}

void check_dense(const at::Tensor& values) {
  if (values.dim() != 2 || values.scalar_type() != at::kFloat) {
    fail(
        "dense features must be [nodes, features] float32, got {} dimensions "
        "of type {}",
        values.dim(), c10::toString(values.scalar_type()));
  }
  const float* const data = values.data_ptr<float>();
  if (all_finite(data, values.numel())) return;
  for (int64_t i = 0; i < values.numel(); ++i) {
    if (!std::isfinite(data[i])) {
      fail_value(i / values.size(1), i % values.size(1), data[i]);
    }
  }
}

void check_row(const SparseRows& rows, int64_t row, int64_t num_features) {
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const float* const value = rows.value.data_ptr<float>();
  for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) {
    if (col[e] < 0 || col[e] >= num_features) {
      fail("node {} has feature index {}, but features are 0 to {}", row,
           col[e], num_features - 1);
    }
    if (e > rowptr[row] && col[e] <= col[e - 1]) {
      fail("feature indices of node {} must rise, got {} after {}", row, col[e],
           col[e - 1]);
    }
    if (!std::isfinite(value[e])) fail_value(row, col[e], value[e]);
  }
}

void check_sparse(const SparseRows& rows, int64_t num_features) {
  const bool typed = rows.rowptr.scalar_type() == at::kLong &&
                     rows.col.scalar_type() == at::kInt &&
                     rows.value.scalar_type() == at::kFloat;
  if (!typed || rows.rowptr.dim() != 1 || rows.rowptr.numel() < 1 ||
      rows.col.dim() != 1 || rows.value.sizes() != rows.col.sizes()) {
    fail(
        "sparse features need rowptr [N+1] int64, col int32 and value float32 "
        "of one length");
  }
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int64_t num_rows = rows.rowptr.numel() - 1;
  if (rowptr[0] != 0 || rowptr[num_rows] != rows.col.numel()) {
    fail("sparse feature rows must span 0 to {} entries, got {} to {}",
         rows.col.numel(), rowptr[0], rowptr[num_rows]);
  }
  for (int64_t row = 0; row < num_rows; ++row) {
    if (rowptr[row + 1] < rowptr[row] || rowptr[row + 1] > rowptr[num_rows]) {
      fail("sparse feature row {} ends before it begins", row);
    }
  }
  for (int64_t row = 0; row < num_rows; ++row) {
    check_row(rows, row, num_features);
  }
}

SparseRows transpose(const SparseRows& rows, int64_t num_columns) {
  const int64_t num_rows = rows.rowptr.numel() - 1;
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const float* const value = rows.value.data_ptr<float>();
  SparseRows out{at::zeros({num_columns + 1}, at::kLong),
                 at::empty_like(rows.col), at::empty_like(rows.value)};
  int64_t* const out_rowptr = out.rowptr.data_ptr<int64_t>();
  int32_t* const out_col = out.col.data_ptr<int32_t>();
  float* const out_value = out.value.data_ptr<float>();
  for (int64_t e = 0; e < rows.col.numel(); ++e) ++out_rowptr[col[e] + 1];
  for (int64_t c = 0; c < num_columns; ++c) out_rowptr[c + 1] += out_rowptr[c];
  std::vector<int64_t> next(out_rowptr, out_rowptr + num_columns);
  for (int64_t row = 0; row < num_rows; ++row) {
    for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) {
      const int64_t slot = next[col[e]]++;
      out_col[slot] = static_cast<int32_t>(row);
      out_value[slot] = value[e];
    }
  }
  return out;
}

SparseRows identity_rows(int64_t num_nodes) {
  return {at::arange(num_nodes + 1, at::kLong), at::arange(num_nodes, at::kInt),
          at::ones({num_nodes}, at::kFloat)};
}

NodeFeatures normalize_dense(const at::Tensor& values, float minimum) {
  at::Tensor shifted = values - minimum;
  return NodeFeatures::dense(
      shifted.div_(shifted.sum(1, /*keepdim=*/true).clamp_min(1.0)));
}

NodeFeatures normalize_sparse(const NodeFeatures& features) {
  const SparseRows& rows = features.rows();
  const float* const value = rows.value.data_ptr<float>();
  const int64_t entries = rows.value.numel();
  for (int64_t e = 0; e < entries; ++e) {
    if (value[e] < 0) {
      fail(
          "row normalisation would subtract the minimum {} and make the "
          "sparse features dense; use raw features instead",
          value[e]);
    }
  }
  SparseRows out{rows.rowptr, rows.col, at::empty_like(rows.value)};
  float* const scaled = out.value.data_ptr<float>();
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  for (int64_t row = 0; row < features.num_nodes(); ++row) {
    double sum = 0;
    for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) sum += value[e];
    const double scale = 1.0 / std::max(sum, 1.0);
    for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) {
      scaled[e] = static_cast<float>(value[e] * scale);
    }
  }
  return NodeFeatures::sparse(std::move(out), features.num_features());
}

}  // namespace

struct NodeFeatures::State {
  Kind kind = Kind::dense;
  int64_t num_nodes = 0;
  int64_t num_features = 0;
  at::Tensor values;
  SparseRows rows;
  std::once_flag transposed;
  SparseRows columns;
};

NodeFeatures::NodeFeatures() : NodeFeatures(identity(0)) {}

NodeFeatures::NodeFeatures(std::shared_ptr<State> state)
    : state_(std::move(state)) {}

NodeFeatures NodeFeatures::dense(const at::Tensor& values) {
  const at::Tensor contiguous = values.contiguous();
  check_dense(contiguous);
  auto state = std::make_shared<State>();
  state->num_nodes = contiguous.size(0);
  state->num_features = contiguous.size(1);
  state->values = contiguous;
  return NodeFeatures(std::move(state));
}

NodeFeatures NodeFeatures::sparse(SparseRows rows, int64_t num_features) {
  rows = {rows.rowptr.contiguous(), rows.col.contiguous(),
          rows.value.contiguous()};
  check_sparse(rows, num_features);
  auto state = std::make_shared<State>();
  state->kind = Kind::sparse;
  state->num_nodes = rows.rowptr.numel() - 1;
  state->num_features = num_features;
  state->rows = std::move(rows);
  return NodeFeatures(std::move(state));
}

NodeFeatures NodeFeatures::identity(int64_t num_nodes) {
  if (num_nodes < 0 || num_nodes > std::numeric_limits<int32_t>::max()) {
    fail("identity features need 0 to 2^31 - 1 nodes, got {}", num_nodes);
  }
  auto state = std::make_shared<State>();
  state->kind = Kind::identity;
  state->num_nodes = num_nodes;
  state->num_features = num_nodes;
  state->rows = identity_rows(num_nodes);
  return NodeFeatures(std::move(state));
}

NodeFeatures NodeFeatures::to(at::Device device, at::ScalarType type) const {
  const bool is_dense = kind() == Kind::dense;
  const at::Tensor& values = is_dense ? state_->values : state_->rows.value;
  if (values.device() == device && values.scalar_type() == type) return *this;
  const auto moved = [device, type](const SparseRows& rows) -> SparseRows {
    return {rows.rowptr.to(device), rows.col.to(device),
            rows.value.to(device, type)};
  };
  auto state = std::make_shared<State>();
  state->kind = kind();
  state->num_nodes = num_nodes();
  state->num_features = num_features();
  if (is_dense) {
    state->values = state_->values.to(device, type);
    return NodeFeatures(std::move(state));
  }
  state->rows = moved(rows());
  std::call_once(state->transposed, [&] {
    // The identity is its own transpose and need not lie in memory twice.
    state->columns = kind() == Kind::identity ? state->rows : moved(columns());
  });
  return NodeFeatures(std::move(state));
}

NodeFeatures::Kind NodeFeatures::kind() const { return state_->kind; }
int64_t NodeFeatures::num_nodes() const { return state_->num_nodes; }
int64_t NodeFeatures::num_features() const { return state_->num_features; }

at::ScalarType NodeFeatures::scalar_type() const {
  const at::Tensor& values =
      kind() == Kind::dense ? state_->values : state_->rows.value;
  return values.scalar_type();
}

const at::Tensor& NodeFeatures::dense_values() const {
  TORCH_INTERNAL_ASSERT(kind() == Kind::dense);
  return state_->values;
}

const SparseRows& NodeFeatures::rows() const {
  TORCH_INTERNAL_ASSERT(kind() != Kind::dense);
  return state_->rows;
}

const SparseRows& NodeFeatures::columns() const {
  TORCH_INTERNAL_ASSERT(kind() != Kind::dense);
  std::call_once(state_->transposed, [this] {
    state_->columns = kind() == Kind::identity
                          ? state_->rows
                          : transpose(state_->rows, num_features());
  });
  return state_->columns;
}

at::Tensor NodeFeatures::to_dense() const {
  if (kind() == Kind::dense) return state_->values.clone();
  const at::Tensor out = at::zeros({num_nodes(), num_features()}, at::kFloat);
  float* const values = out.data_ptr<float>();
  const int64_t* const rowptr = rows().rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows().col.data_ptr<int32_t>();
  const float* const value = rows().value.data_ptr<float>();
  for (int64_t row = 0; row < num_nodes(); ++row) {
    for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) {
      values[row * num_features() + col[e]] = value[e];
    }
  }
  return out;
}

NodeFeatures row_normalized(const NodeFeatures& features) {
  return row_normalized(features, row_minimum(features));
}

std::string to_string(NodeFeatures::Kind kind) {
  using Kind = NodeFeatures::Kind;
  return core::word_of(kind, {{Kind::dense, "dense"},
                              {Kind::sparse, "sparse"},
                              {Kind::identity, "identity"}});
}

NodeFeatures row_normalized(const NodeFeatures& features, float minimum) {
  switch (features.kind()) {
    case NodeFeatures::Kind::dense:
      return normalize_dense(features.dense_values(), minimum);
    case NodeFeatures::Kind::sparse:
      return normalize_sparse(features);
    case NodeFeatures::Kind::identity:
      break;
  }
  return features;
}

float row_minimum(const NodeFeatures& features) {
  if (features.kind() != NodeFeatures::Kind::dense) return 0;
  const at::Tensor& values = features.dense_values();
  return values.numel() == 0 ? 0 : values.min().item<float>();
}

}  // namespace ordered_gnn
