#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace ordered_gnn::scale {

/// What is remembered of the rows that parts showed each other: of every part
/// and every sum over neighbours in a pass, counted from 0, the rows that other
/// parts hear, as they were last.
///
/// Calls for different parts may come at the same time; nobody reads a part
/// while it is written.
class HistoryStore {
 public:
  virtual ~HistoryStore() = default;

  /// Which rows of a part are read, and where they go.
  struct Copies {
    std::vector<int64_t> kept;   ///< among the rows of the part that are heard
    std::vector<int64_t> slots;  ///< rows of the result
  };

  /// @param rows  [n, D], all of the part.
  virtual void write(int64_t part, int64_t sum, const at::Tensor& rows) = 0;

  /// @param out  [any, D], contiguous, of the type that was written.
  /// @throws c10::Error when nothing of that width was written.
  virtual void read(int64_t part, int64_t sum, const Copies& copies,
                    at::Tensor& out) const = 0;
};

/// Keeps it in memory.
/// @param heard  of every part, the rows that others hear.
std::unique_ptr<HistoryStore> make_memory_history(
    const std::vector<std::vector<int64_t>>& heard);

}  // namespace ordered_gnn::scale
