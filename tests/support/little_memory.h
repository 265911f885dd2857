#pragma once
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn {

/// While it lives, this thread may take so many bytes more than the process
/// has: a test of what does not fit then needs no machine to fill.
class LittleMemory {
 public:
  explicit LittleMemory(int64_t bytes) : scope_(in_use() + bytes) {}

 private:
  static int64_t in_use() {
    release_recycled_memory();
    return resident_memory_bytes();
  }
  MemoryScope scope_;
};

}  // namespace ordered_gnn
