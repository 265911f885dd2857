#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// The number of elements of `shape`, none of them negative.
/// @throws Error at `place` when sizes or strides would leave 63 bits, also
///         for an empty shape such as (0, 2^62, 4).
int64_t checked_numel(at::IntArrayRef shape, const std::string& place);

/// An uninitialised CPU tensor.
/// @throws Error at `place` when the memory is not there or require_memory()
///         refuses it.
at::Tensor allocate_tensor(at::IntArrayRef shape, at::ScalarType dtype,
                           const std::string& place);

/// `values` in another type, row-major; no copy when they are of it. A small
/// file of bytes may ask for eight times what it took so far.
/// @throws Error as allocate_tensor() does.
at::Tensor converted(const at::Tensor& values, at::ScalarType dtype,
                     const std::string& place);

/// `values` as a row-major CPU tensor without autograd history; no copy when
/// it is one already.
/// @throws Error at `place` when it is undefined.
at::Tensor to_writable(const at::Tensor& values, const std::string& place);

/// The memory of a tensor from to_writable().
std::string_view tensor_bytes(const at::Tensor& values);

/// @throws Error at `place` when a bool tensor read from a file has a byte that
///         is neither 0 nor 1, which no kernel expects.
void check_bools(const at::Tensor& values, const std::string& place);

}  // namespace ordered_gnn::core
