#pragma once
#include <c10/core/Allocator.h>

#include <cstddef>

namespace ordered_gnn::core {

/// Where a thread's large tensors get their memory from, in place of the blocks
/// that are recycled; see use_recycling_allocator(), which asks it.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  /// Memory of its own; a null pointer for a tensor that it does not care for.
  virtual c10::DataPtr take(size_t bytes) = 0;
};

/// That of the calling thread; null: none.
BlockSource* thread_block_source();
void set_thread_block_source(BlockSource* source);

}  // namespace ordered_gnn::core
