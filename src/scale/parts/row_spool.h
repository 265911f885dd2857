#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

/// Rows of nodes on disk: they come in any order, are read in that of the
/// nodes, and no more than a piece is in memory.
class RowSpool : NonCopyable {
 public:
  RowSpool(std::filesystem::path file, int64_t nodes, int64_t width);
  ~RowSpool();

  /// @param nodes  [r] int64, in [0, N).  @param rows  [r, F] float32.
  void put(const at::Tensor& nodes, const at::Tensor& rows);

  /// Hands all over, `first` being the node of the first row.
  void walk(const std::function<void(int64_t first, const at::Tensor& rows)>&
                on_rows) const;

 private:
  const std::filesystem::path path_;
  const int64_t nodes_, width_;
  int file_ = -1;
};

}  // namespace ordered_gnn::scale
