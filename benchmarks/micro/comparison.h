#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace ordered_gnn::bench {

/// Who runs the loops. Both sides get the same number of threads.
enum class Side { ours, libtorch };

/// Work of one iteration, reported per second.
struct Work {
  std::string unit;  ///< for example "edges/s"
  int64_t items;
  int64_t bytes;  ///< that have to move at least
};

/// Makes the inputs of one side and returns the body to time.
using Prepare = std::function<std::function<void()>(Side)>;

/// Registers "<name>/ours" and "<name>/libtorch".
void compare(const std::string& name, const Work& work, const Prepare& prepare);

/// One per benchmark source; main() calls them all.
void add_mean_aggregate();
void add_ordered_gate();
void add_feature_linear();

}  // namespace ordered_gnn::bench
