#pragma once
#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ordered_gnn::data {

/// [size] float32.
inline at::Tensor tensor_of(const std::vector<float>& values) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, at::kFloat);
  std::copy(values.begin(), values.end(), out.data_ptr<float>());
  return out;
}

/// [size] int64.
inline at::Tensor tensor_of(const std::vector<int64_t>& values) {
  at::Tensor out = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
  return out;
}

}  // namespace ordered_gnn::data
