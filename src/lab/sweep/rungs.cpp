#include "lab/sweep/rungs.h"

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {

namespace {

// The base climbs beside the best of the others.
int64_t climbing(const SweepSpec& spec, int64_t trials) {
  const int64_t others = spec.try_base ? trials - 1 : trials;
  return (others + spec.eta - 1) / spec.eta + trials - others;
}

}  // namespace

std::vector<Rung> plan_rungs(const SweepSpec& spec, int64_t trials,
                             int64_t splits) {
  if (spec.method != SearchMethod::halving)
    return {{trials, splits, 0, splits}};
  const bool by_splits = spec.budget == Budget::splits;
  const int64_t most = by_splits ? splits : spec.base.train.epochs;
  if (!by_splits && spec.min_budget > most) {
    throw UsageError(
        fmt::format("\"min-budget\" is {}, but there are {} epochs",
                    spec.min_budget, most));
  }
  std::vector<Rung> rungs;
  int64_t before = 0;
  int64_t budget = std::min(spec.min_budget, most);
  for (;;) {
    // A trial without rivals need not climb.
    if (trials == 1) budget = most;
    rungs.push_back(by_splits ? Rung{trials, budget, 0, budget - before}
                              : Rung{trials, splits, budget, splits});
    if (budget == most) return rungs;
    before = budget;
    budget = std::min(most, budget * spec.eta);
    trials = climbing(spec, trials);
  }
}

}  // namespace ordered_gnn::lab
