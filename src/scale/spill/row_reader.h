#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

/// Reads rows of a tensor in the order of their places, in pieces: what lies
/// close together on the disk is read at once, with what is between.
class RowReader {
 public:
  /// @param rows  [n, D], contiguous; must outlive it.
  RowReader(PagedMemory& memory, const at::Tensor& rows);

  /// Copies a row; when it was on the disk, by flush() at the latest.
  /// @param row  none before the last.
  void take(int64_t row, char* to);
  void flush();

 private:
  static constexpr int64_t kGap = int64_t{16} << 10;
  static constexpr int64_t kPiece = int64_t{1} << 20;
  struct Wanted {
    int64_t row;
    char* to;
  };

  PagedMemory& memory_;
  const char* const first_;
  const int64_t bytes_;
  const bool is_on_disk_;
  const int64_t gap_, most_;
  std::vector<Wanted> wanted_;
  std::vector<char> piece_;
};

}  // namespace ordered_gnn::scale
