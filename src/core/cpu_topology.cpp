#include "core/cpu_topology.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;

// -1 where the file is not there or holds no number.
int first_number(const fs::path& file) {
  std::ifstream in(file);
  int number = -1;
  return in >> number ? number : -1;
}

// Of one group; 0 = no limit.
double quota_of(const fs::path& group) {
  double period = 0;
  std::ifstream unified(group / "cpu.max");
  std::string most;
  if (unified >> most >> period && most != "max" && period > 0) {
    const double granted = std::strtod(most.c_str(), nullptr) / period;
    // What is no amount of time must not hide the limit of a group around it.
    return std::isfinite(granted) && granted > 0 ? granted : 0;
  }
  const int quota = first_number(group / "cpu.cfs_quota_us");
  const int per = first_number(group / "cpu.cfs_period_us");
  return quota > 0 && per > 0 ? static_cast<double>(quota) / per : 0;
}

double lower(double a, double b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

// A group and those around it up to the mount.
double quota_up_from(const fs::path& mount, fs::path group) {
  double quota = quota_of(mount);
  for (; !group.empty() && group != "/"; group = group.parent_path()) {
    quota = lower(quota, quota_of(mount / group.relative_path()));
  }
  return quota;
}

}  // namespace

int CpuTopology::num_hardware_threads() const {
  size_t count = 0;
  for (const auto& core : cores) count += core.size();
  return static_cast<int>(count);
}

int CpuTopology::within_quota(int threads) const {
  if (quota <= 0) return threads;
  const double whole = std::min(4096.0, std::ceil(quota - 1e-6));
  return std::max(1, std::min(threads, static_cast<int>(whole)));
}

std::string CpuTopology::text() const {
  const int count = num_cores(), threads = num_hardware_threads();
  std::string out = fmt::format("{} core{}", count, count == 1 ? "" : "s");
  if (threads != count) {
    out += threads % count == 0
               ? fmt::format(" of {} hardware threads", threads / count)
               : fmt::format(" with {} hardware threads", threads);
  }
  if (quota > 0) out += fmt::format(", {:.3g} of them granted", quota);
  return out;
}

CpuTopology read_topology(const std::vector<int>& allowed,
                          const fs::path& cpus) {
  CpuTopology out;
  // Dies of a package and clusters of a die may each count their cores from 0.
  std::map<std::array<int, 4>, size_t> known;
  for (const int cpu : allowed) {
    const fs::path folder = cpus / fmt::format("cpu{}", cpu) / "topology";
    const int core = first_number(folder / "core_id");
    const auto place = known.emplace(
        std::array<int, 4>{first_number(folder / "physical_package_id"),
                           first_number(folder / "die_id"),
                           first_number(folder / "cluster_id"), core},
        out.cores.size());
    if (core < 0 || place.second) {
      out.cores.push_back({cpu});
    } else {
      out.cores[place.first->second].push_back(cpu);
    }
  }
  if (out.cores.empty()) out.cores.push_back({0});
  return out;
}

double read_quota(const fs::path& groups, const fs::path& membership) {
  double quota = 0;
  std::ifstream in(membership);
  // "0::/group" of a unified hierarchy, "4:cpu,cpuacct:/group" of one's own.
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string names = line.substr(first + 1, second - first - 1);
    const fs::path group = line.substr(second + 1);
    if (names.empty()) {
      quota = lower(quota, quota_up_from(groups, group));
    } else if ((',' + names + ',').find(",cpu,") != std::string::npos) {
      quota = lower(quota, quota_up_from(groups / "cpu", group));
      quota = lower(quota, quota_up_from(groups / names, group));
    }
  }
  return quota;
}

const std::vector<int>& allowed_cpus() {
  static const std::vector<int> allowed = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> out;
    if (::sched_getaffinity(0, sizeof(set), &set) != 0) return out;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) out.push_back(cpu);
    }
    return out;
  }();
  return allowed;
}

const CpuTopology& topology() {
  static const CpuTopology own = [] {
    CpuTopology out = read_topology(allowed_cpus());
    out.quota = read_quota();
    return out;
  }();
  return own;
}

}  // namespace ordered_gnn::core
