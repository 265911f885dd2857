#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::core {

/// How a part of a graph gets rows of nodes that other parts own.
///
/// The n nodes of a part are followed by its halo: the nodes of other parts
/// that its lists name. All parts of a graph call fetch() as often and in the
/// same order, each on a thread of its own; a call waits for the others.
class RowExchange {
 public:
  virtual ~RowExchange() = default;

  enum class Side {
    in,   ///< nodes that send to the part
    out,  ///< nodes that receive from the part
  };

  /// @param rows  [n, D], of the part's own nodes.
  /// @return [n + H, D]: those, then the rows that other parts have for the
  ///         halo. Rows of halo nodes that are not on this side are undefined.
  virtual at::Tensor fetch(const at::Tensor& rows, Side side) = 0;

  /// Whether a layer keeps its sums over neighbours for backward; otherwise
  /// backward fetches the rows once more and makes the same sums again. Of all
  /// parts alike.
  virtual bool keeps_sums() const { return true; }
};

}  // namespace ordered_gnn::core
