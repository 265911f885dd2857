#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "scale/ranks/rank_parts.h"
#include "scale/ranks/row_layout.h"

namespace ordered_gnn::scale {

/// Takes that are side by side.
struct TakeRun {
  const PartRoutes::Take* first = nullptr;
  const PartRoutes::Take* last = nullptr;  ///< behind the last
};

/// Rows of a part into a message, at their places in the layout, rounded where
/// the message has a narrower type.
void pack_rows(const RowLayout& layout, const at::Tensor& matrix,
               const std::vector<PartRoutes::Pack>& packs,
               const at::Tensor& message);

/// The reverse; elements that did not travel are zeros.
void unpack_rows(const RowLayout& layout, const at::Tensor& message,
                 TakeRun takes, const at::Tensor& matrix);

/// Rows of another part of this rank, rounded as if they came in a message of
/// this type.
void copy_rows(const at::Tensor& from, TakeRun takes, const at::Tensor& matrix,
               at::ScalarType type_on_wire);

}  // namespace ordered_gnn::scale
