#include "lab/tune/candidate.h"

#include <limits>

#include "core/io/json_numbers.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

ComparisonOptions plan_options(const TuneOptions& options) {
  ComparisonOptions plan;
  plan.models = options.models;
  plan.values = options.values;
  plan.splits = options.splits;
  plan.spaces = "search/tune";
  return plan;
}

}  // namespace

double Candidate::objective() const {
  return found.best ? found.best->objective()
                    : -std::numeric_limits<double>::infinity();
}

void Candidate::offer(const TrialResult& trial) {
  if (!found.best || trial.objective() > found.best->objective()) {
    found.best = trial;
  }
}

void Candidate::take(const SweepResult& result) {
  found.trials = 0;
  found.seconds = 0;
  found.error.clear();
  for (const TrialResult& trial : result.trials) {
    found.trials += trial.complete() ? 1 : 0;
    found.seconds += trial.seconds;
    if (found.error.empty()) found.error = trial.error;
  }
  exhausted = static_cast<double>(trials) >= plan.spec.space.size();
  if (!result.best) return;
  found.error.clear();
  found.best = result.trials[*result.best];
  found.options = result.best_options;
  found.test = result.best_test_mean;
}

std::vector<Candidate> candidates_of(const TuneOptions& options,
                                     const std::filesystem::path& folder) {
  if (options.models.empty()) {
    throw UsageError("no model to tune; name some with --models");
  }
  std::vector<Candidate> candidates;
  for (ModelPlan& plan : plan_models(plan_options(options))) {
    Candidate candidate;
    candidate.found.model = plan.model;
    candidate.found.start = plan.start;
    candidate.folder = folder / "search" / plan.model;
    candidate.plan = std::move(plan);
    candidate.plan.spec.method = SearchMethod::random;
    const Json before =
        folder_fact(candidate.folder, "trials", sweep_folder_kind());
    if (core::is_whole_number(before)) {
      candidate.trials = before.get<int64_t>();
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace ordered_gnn::lab
