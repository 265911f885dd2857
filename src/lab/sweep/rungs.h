#pragma once
#include <cstdint>
#include <vector>

#include "lab/sweep/spec.h"

namespace ordered_gnn::lab {

/// A round of a sweep: so many trials with so many splits and epochs each.
struct Rung {
  int64_t trials = 0;
  int64_t splits = 0;
  int64_t epochs = 0;      ///< 0: as the setting says
  int64_t new_splits = 0;  ///< those that the rung before has not run
};

/// The rungs of a sweep over `trials` settings and `splits` splits; a single
/// one unless it halves.
/// @throws UsageError when the smallest budget is more than there is.
std::vector<Rung> plan_rungs(const SweepSpec& spec, int64_t trials,
                             int64_t splits);

}  // namespace ordered_gnn::lab
