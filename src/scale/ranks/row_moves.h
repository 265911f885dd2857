#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "scale/ranks/row_layout.h"

namespace ordered_gnn::scale {

/// Row `row` of a matrix into a message, at its place in the layout, rounded
/// where the message has a narrower type.
void pack_row(const RowLayout& layout, const at::Tensor& matrix, int64_t row,
              const at::Tensor& message, int64_t place);

/// The reverse; elements that did not travel are zeros.
void unpack_row(const RowLayout& layout, const at::Tensor& message,
                int64_t place, const at::Tensor& matrix, int64_t row);

/// A row of another part of this rank, rounded as if it came in a message of
/// this type.
void copy_row(const at::Tensor& from, int64_t row, const at::Tensor& to,
              int64_t place, at::ScalarType type_on_wire);

}  // namespace ordered_gnn::scale
