#include "core/thread_pins.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

thread_local bool loops_are_pinned = false;

bool stay_on(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(cpu, &set);
  return ::sched_setaffinity(0, sizeof(set), &set) == 0;
}

const std::vector<int>& places() {
  static const std::vector<int> order = pin_order(topology());
  return order;
}

}  // namespace

std::vector<int> pin_order(const CpuTopology& topology) {
  std::vector<int> out;
  const auto all = static_cast<size_t>(topology.num_hardware_threads());
  for (size_t level = 0; out.size() < all; ++level) {
    for (const std::vector<int>& core : topology.cores) {
      if (level < core.size()) out.push_back(core[level]);
    }
  }
  return out;
}

std::string refusal_to_pin(int threads, const CpuTopology& topology) {
  const int most = topology.num_hardware_threads();
  if (threads > most) {
    return fmt::format(
        "--pin has {} places here ({}), but --threads is {}; use --threads {} "
        "or leave out --pin",
        most, topology.text(), threads, most);
  }
  if (topology.within_quota(threads) < threads) {
    return fmt::format(
        "--pin with {} threads needs as many processors, but the control group "
        "of this process grants {:.3g}; use --threads {} or leave out --pin",
        threads, topology.quota, topology.within_quota(threads));
  }
  return "";
}

void pin_threads(int threads) {
  const std::string refusal = refusal_to_pin(threads, topology());
  if (!refusal.empty()) throw UsageError(refusal);
  // Tried here, where there is somebody to tell.
  if (!stay_on({places().front()}) || !stay_on(allowed_cpus())) {
    throw UsageError(fmt::format(
        "--pin: the system does not let this process choose its processors "
        "({}); leave out --pin",
        std::strerror(errno)));
  }
  loops_are_pinned = true;
}

void unpin_threads() { loops_are_pinned = false; }

bool is_pinned() { return loops_are_pinned; }

void pin_helper(int number) {
  // A helper that has no place of its own is free; it began in that of the
  // thread that started it.
  const auto place = static_cast<size_t>(number);
  stay_on(place < places().size() ? std::vector<int>{places()[place]}
                                  : allowed_cpus());
}

PinnedLoop::PinnedLoop() : pinned_(loops_are_pinned) {
  if (pinned_) pin_helper(0);
}

PinnedLoop::~PinnedLoop() {
  if (pinned_) stay_on(allowed_cpus());
}

}  // namespace ordered_gnn::core
