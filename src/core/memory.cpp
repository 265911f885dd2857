#include "ordered_gnn/core/memory.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/affixes.h"

namespace ordered_gnn {
namespace {

// A line such as "VmHWM:   1234 kB" of a file under /proc, in bytes.
int64_t kilobytes_in(const char* file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::string_view rest = line;
    if (!core::take_prefix(rest, key + ":")) continue;
    return int64_t{1024} * std::atoll(rest.data());
  }
  return 0;
}

// The number in a file; 0 when there is none, as in "max".
int64_t number_in(const char* file) {
  int64_t value = 0;
  std::ifstream in(file);
  return in >> value ? value : 0;
}

}  // namespace

int64_t resident_memory_bytes() {
  return kilobytes_in("/proc/self/status", "VmRSS");
}

int64_t peak_memory_bytes() {
  const int64_t peak = kilobytes_in("/proc/self/status", "VmHWM");
  if (peak > 0) return peak;
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

bool reset_peak_memory() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5";
  return out.flush().good();
}

int64_t available_memory_bytes() {
  int64_t available = kilobytes_in("/proc/meminfo", "MemAvailable");
  const int64_t limit = number_in("/sys/fs/cgroup/memory.max");
  if (limit > 0) {
    const int64_t used = number_in("/sys/fs/cgroup/memory.current");
    available = std::min(available, std::max<int64_t>(0, limit - used));
  }
  return available;
}

std::string bytes_text(int64_t bytes) {
  if (bytes < 0) return "unknown size";
  if (bytes < 10'000) return fmt::format("{} bytes", bytes);
  const auto value = static_cast<double>(bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", value / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

}  // namespace ordered_gnn
