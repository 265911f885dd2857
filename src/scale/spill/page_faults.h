#pragma once
#include <atomic>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

class PagedMemory;

/// While it lives, threads that touch memory without a page ask `memory` for
/// it. One at a time in a process.
class PageFaults : NonCopyable {
 public:
  explicit PageFaults(PagedMemory& memory);
  ~PageFaults();

  /// Whether that gave the page. @param writes  by whom it is to be changed.
  static bool give_page(const void* address, bool writes);
  /// What blocks are of; null: nobody's.
  static PagedMemory* memory();

 private:
  static std::atomic<PagedMemory*> memory_;
};

}  // namespace ordered_gnn::scale
