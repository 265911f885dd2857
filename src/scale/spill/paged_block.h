#pragma once
#include <sys/mman.h>

#include <cstdint>

#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

struct PagedMemory::Block {
  enum class Busy { no, writing, reading };

  char* at = nullptr;
  size_t bytes = 0;
  int64_t part = 0;
  int64_t number = -1;  ///< among those that the part has made in its pass;
                        ///< -1: it was made at any time
  int64_t slot = -1;    ///< in the file
  bool is_resident = true;
  bool is_dirty = true;   ///< not what the slot has
  bool is_ahead = false;  ///< read, and not yet touched
  int access = PROT_READ | PROT_WRITE;
  Busy busy = Busy::no;
  uint64_t used = 0;

  int64_t size() const { return static_cast<int64_t>(bytes); }
  void allow(int wanted) {
    if (access == wanted) return;
    ::mprotect(at, bytes, wanted);
    access = wanted;
  }
};

/// Pages for `bytes`, from a bound of large pages on where they fill one; a
/// null pointer when the system refuses.
char* map_pages(size_t bytes);

}  // namespace ordered_gnn::scale
