#include "ordered_gnn/core/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn {
namespace {

std::atomic<int64_t> process_max_memory{0};
thread_local int64_t scope_max_memory = 0;

int64_t max_memory() {
  return scope_max_memory > 0 ? scope_max_memory : process_max_memory.load();
}

MemoryLeft ask_for_left() {
  MemoryLeft left;
  left.max_memory = max_memory();
  if (left.max_memory > 0) {
    left.bytes =
        std::max<int64_t>(0, left.max_memory - resident_memory_bytes());
    return left;
  }
  const int64_t available = available_memory_bytes();
  left.bytes = available > 0 ? available : std::numeric_limits<int64_t>::max();
  return left;
}

}  // namespace

int64_t parse_memory_size(const std::string& text) {
  char* end = nullptr;
  double bytes = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const std::string units = "kMGT";
  if (unit.size() == 1 && units.find(unit) != std::string::npos) {
    bytes *= std::pow(1000.0, static_cast<double>(units.find(unit)) + 1);
  } else if (!unit.empty()) {
    bytes = -1;
  }
  if (text.empty() || !(bytes >= 1) || bytes > 1e18) {
    throw UsageError(fmt::format(
        "--max-memory takes a size such as 800M or 4G, not '{}'", text));
  }
  return static_cast<int64_t>(bytes);
}

void set_max_memory(int64_t bytes) { process_max_memory = bytes; }

MemoryScope::MemoryScope(int64_t bytes) : outer_(scope_max_memory) {
  if (bytes > 0) scope_max_memory = bytes;
}

MemoryScope::~MemoryScope() { scope_max_memory = outer_; }

MemoryLeft memory_left(int64_t wanted) {
  const MemoryLeft left = ask_for_left();
  if (left.bytes >= wanted) return left;
  release_recycled_memory();
  return ask_for_left();
}

std::string left_text(const MemoryLeft& left) {
  return left.max_memory > 0
             ? fmt::format("--max-memory {} leaves {}",
                           bytes_text(left.max_memory), bytes_text(left.bytes))
             : fmt::format("{} is free", bytes_text(left.bytes));
}

void require_memory(int64_t bytes, const std::string& place,
                    const std::string& what) {
  if (bytes < kLargeMemory) return;
  const MemoryLeft left = memory_left(bytes);
  if (bytes <= left.bytes) return;
  fail("{}: {} takes {}, but {}; {}", place, what, bytes_text(bytes),
       left_text(left),
       left.max_memory > 0
           ? "raise --max-memory"
           : "use a machine with more memory, or set --max-memory if more can "
             "be had");
}

}  // namespace ordered_gnn
