#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace ordered_gnn::mutations {

/// What became of a case.
enum class Outcome : uint8_t {
  unknown,
  refused,   ///< by an Error
  read,      ///< and what was read is right, or nothing covers it
  accepted,  ///< damage that a checksum covers was not seen
  odd,       ///< another exception than Error
  memory,    ///< more than the limit was asked for
  hang,
  crash,
};

struct Limits {
  unsigned seconds = 20;             ///< of a case
  int64_t bytes = int64_t{1} << 30;  ///< of memory beyond what a process has
  int64_t jobs = 1;                  ///< processes at a time
};

/// Runs the cases 0 .. count - 1 in child processes, many in each, so that a
/// crash takes down neither the caller nor other cases. The caller has no other
/// threads, for they would not be in the children.
/// @param run  called in a child with the number of the case and that of the
///             job, below limits.jobs.
std::vector<Outcome> run_cases(
    int64_t count, const Limits& limits,
    const std::function<Outcome(int64_t number, int64_t job)>& run);

}  // namespace ordered_gnn::mutations
