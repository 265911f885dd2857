#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ordered_gnn::core {

/// The processors that a process may run on.
struct CpuTopology {
  /// Hardware threads of every physical core, by the system's numbers; those
  /// of one core share its vector units. At least one core with one.
  std::vector<std::vector<int>> cores;
  /// Processor time per second that the system grants, in seconds; 0 = all.
  double quota = 0;

  int num_cores() const { return static_cast<int>(cores.size()); }
  int num_hardware_threads() const;
  /// What the quota leaves of `threads`, at least 1.
  int within_quota(int threads) const;
  /// "8 cores of 2 hardware threads", "2 cores".
  std::string text() const;
};

/// @param allowed  numbers of the hardware threads to describe, rising.
/// @param cpus     folder with cpu0, cpu1, ... as Linux has it; a hardware
///                 thread that it says nothing about is a core of its own.
CpuTopology read_topology(
    const std::vector<int>& allowed,
    const std::filesystem::path& cpus = "/sys/devices/system/cpu");

/// Seconds per second that control groups grant, the least of a group and those
/// around it; 0 where none says so.
/// @param groups      where they are mounted.
/// @param membership  which ones a process is in, as /proc/self/cgroup.
double read_quota(
    const std::filesystem::path& groups = "/sys/fs/cgroup",
    const std::filesystem::path& membership = "/proc/self/cgroup");

/// Hardware threads that this process may run on, rising, as it was first asked
/// for: pinned threads have fewer.
const std::vector<int>& allowed_cpus();

/// Of this process.
const CpuTopology& topology();

}  // namespace ordered_gnn::core
