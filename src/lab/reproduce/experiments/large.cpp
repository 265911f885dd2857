#include "lab/reproduce/experiments/experiments.h"
#include "lab/reproduce/experiments/systems_plan.h"

namespace ordered_gnn::lab {

void plan_large(const ReproductionOptions& options, ExperimentPlan& plan) {
  plan.title = "Larger graphs";
  SystemsPlan("large", "large", {}, options, plan).add_wanted();
}

}  // namespace ordered_gnn::lab
