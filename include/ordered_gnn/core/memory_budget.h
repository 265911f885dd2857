#pragma once
#include <cstdint>
#include <string>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn {

/// How much memory may still be taken is asked before large pieces are: by
/// readers once sizes are known, by generators, by training and prediction.
/// The most that the process may take in all is set by set_max_memory() or a
/// MemoryScope; without either it is what is free (available_memory_bytes(),
/// swap not counted), and nothing is refused where the system does not tell.

/// The bytes of "800M", "4G" or "2500000000", with k, M, G and T for powers of
/// 1000.
/// @throws UsageError for anything else.
int64_t parse_memory_size(const std::string& text);

/// Sets the most memory that the process may take, for all threads; 0: what is
/// free. An `ognn` command does so as its --max-memory says.
void set_max_memory(int64_t bytes);

/// While it lives, on the thread that made it, the process may take `bytes` (0
/// = what the scope around it or set_max_memory() says). Scopes nest, and end
/// on the thread they began on.
class MemoryScope : NonCopyable {
 public:
  explicit MemoryScope(int64_t bytes);
  ~MemoryScope();

 private:
  const int64_t outer_;
};

/// What may be taken on top of what is in use.
struct MemoryLeft {
  int64_t bytes = 0;
  int64_t max_memory = 0;  ///< as set; 0: what is free decides
};

/// Asks the system; memory that was freed and kept for reuse counts as left
/// where otherwise `wanted` bytes would not be.
MemoryLeft memory_left(int64_t wanted);

/// "1.1 GB is free", or "--max-memory 2.0 GB leaves 300.0 MB": for messages.
std::string left_text(const MemoryLeft& left);

/// Pieces below this are not asked for: asking costs more than they do.
inline constexpr int64_t kLargeMemory = int64_t{1} << 20;

/// Refuses to take memory that is not there.
/// @param bytes  no more than is surely needed: what would fit is not refused.
/// @param place  the file or what else is at fault.
/// @param what   names the piece: "the array", "a graph of 5 nodes".
/// @throws Error "PLACE: WHAT takes 2.4 GB, but 1.1 GB is free; ...", which
///         names --max-memory.
void require_memory(int64_t bytes, const std::string& place,
                    const std::string& what);

}  // namespace ordered_gnn
