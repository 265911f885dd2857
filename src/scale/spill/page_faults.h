#pragma once
#include <atomic>

namespace ordered_gnn::scale {

class PagedMemory;

/// While it lives, threads that touch memory without a page ask `memory` for
/// it. One at a time in a process.
class PageFaults {
 public:
  explicit PageFaults(PagedMemory& memory);
  ~PageFaults();
  PageFaults(const PageFaults&) = delete;
  PageFaults& operator=(const PageFaults&) = delete;

  /// Whether that gave the page. @param writes  by whom it is to be changed.
  static bool give_page(const void* address, bool writes);
  /// What blocks are of; null: nobody's.
  static PagedMemory* memory();

 private:
  static std::atomic<PagedMemory*> memory_;
};

}  // namespace ordered_gnn::scale
