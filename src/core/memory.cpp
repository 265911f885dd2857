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

// Where the limit of a group of processes is, for both versions of cgroups.
struct Group {
  const char* limit;
  const char* used;
  const char* statistics;
};
constexpr Group kProcessGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
     "/sys/fs/cgroup/memory.stat"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes",
     "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat"},
};

// Pages of files that count as used, but are given up when memory is asked for.
int64_t file_pages_of(const Group& group) {
  int64_t pages = 0;
  std::ifstream in(group.statistics);
  std::string name;
  for (int64_t bytes = 0; in >> name >> bytes;) {
    if (name == "inactive_file" || name == "active_file") pages += bytes;
  }
  return pages;
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
  for (const Group& group : kProcessGroups) {
    const int64_t limit = number_in(group.limit);
    if (limit == 0) continue;
    int64_t left = limit - number_in(group.used);
    if (left >= available) continue;
    // Asked for only here: the statistics are slow to make.
    left += file_pages_of(group);
    // Nothing left is not the same as unknown.
    available = std::min(available, std::max<int64_t>(1, left));
  }
  struct rlimit addresses {};
  if (getrlimit(RLIMIT_AS, &addresses) == 0 &&
      addresses.rlim_cur != RLIM_INFINITY) {
    const int64_t taken = kilobytes_in("/proc/self/status", "VmSize");
    const auto limit = static_cast<int64_t>(addresses.rlim_cur);
    available = std::min(available, std::max<int64_t>(1, limit - taken));
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
