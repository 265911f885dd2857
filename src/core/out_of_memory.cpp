#include "core/out_of_memory.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::core {

// LibTorch has no type for it; the text is that of c10/core/impl/alloc_cpu.cpp.
bool is_out_of_memory(const c10::Error& error) {
  return error.msg().find("DefaultCPUAllocator") != std::string::npos;
}

void fail_out_of_memory(const std::string& activity) {
  // What the failed work has given up would be shown as in use.
  release_recycled_memory();
  fail(
      "out of memory while {}; {} are in use now and {} are free. Use a "
      "smaller graph or model, fewer --workers, or a machine with more memory; "
      "--max-memory refuses earlier",
      activity, bytes_text(resident_memory_bytes()),
      bytes_text(available_memory_bytes()));
}

}  // namespace ordered_gnn::core
