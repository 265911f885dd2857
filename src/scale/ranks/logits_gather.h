#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// Logits of the scored nodes of all parts on their way to rank 0, those of a
/// part as soon as it has computed them: most of them travel while other parts
/// still compute. For engines with messages beside their calls.
class LogitsGather {
 public:
  /// Tells rank 0 how many rows parts have: all ranks make one together.
  /// @param bounds     first part of every rank, and the number of parts.
  /// @param rows       of every part of this rank.
  /// @param first_tag  of its messages, which has one for every part.
  LogitsGather(Group& group, const std::vector<int64_t>& bounds,
               const std::vector<int64_t>& rows, int64_t classes,
               int64_t first_tag);

  /// Before a pass: what an earlier one has left is forgotten, and on rank 0
  /// may come what the others send.
  void begin();
  /// [rows, classes] float32 of a part of this rank, counted from its first; on
  /// any thread, once in a pass.
  void give(int64_t place, const at::Tensor& logits);
  /// When all parts of this rank have given theirs.
  /// @return on rank 0 the rows of all parts, in their order.
  at::Tensor take();

 private:
  at::Tensor rows_of(int64_t part) const;

  Group& group_;
  const int64_t classes_, first_tag_;
  const std::vector<int64_t> bounds_;
  std::vector<int64_t> begin_;  ///< row of every part; on rank 0
  at::Tensor all_;              ///< on rank 0
  std::mutex mutex_;
  std::vector<at::Tensor> given_;  ///< that are on their way
  std::vector<std::unique_ptr<Transfer>> transfers_;
};

}  // namespace ordered_gnn::scale
