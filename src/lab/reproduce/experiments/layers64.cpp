#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/systems_plan.h"

namespace ordered_gnn::lab {

void plan_layers64(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "64 layers";
  plan.notes.emplace_back(
      "The paper gives one number per graph and no deviation; ours is over "
      "seeds of the one split.");
  SystemsPlan("layers64", "layers64", {}, options, plan).add_wanted();
}

}  // namespace ordered_gnn::lab
