#include "fuzz/harness.h"
#include "fuzz/targets.h"
#include "lab/sweep/spec.h"

namespace ordered_gnn {

// sweep.json and what it is based on.
void fuzz::try_sweep(std::string_view input) {
  const lab::SweepSpec spec =
      lab::read_sweep(fuzz::write_folder(input) / "sweep.json");
  lab::seeds_of(spec);
  lab::sweep_identity(spec, "");
  // Long lists are no finding, but would take all the time there is.
  constexpr double kMost = 500;
  if (spec.each.size() <= kMost) lab::variants_of(spec);
  const bool draws_few = spec.trials > 0 && spec.trials <= kMost;
  if (spec.space.size() <= kMost || draws_few) lab::settings_of(spec);
}

}  // namespace ordered_gnn
