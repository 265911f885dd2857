#pragma once
#include <filesystem>

#include "lab/compare/comparison.h"
#include "lab/tune/tune.h"

namespace ordered_gnn::lab {

/// A model that is tuned, with its search, which grows trial by trial.
struct Candidate {
  ModelPlan plan;
  TunedModel found;
  std::filesystem::path folder;  ///< of its sweep
  int64_t trials = 0;            ///< drawn so far, the start apart
  bool exhausted = false;        ///< its space has no more

  /// That of the best setting; minus infinity as long as there is none.
  double objective() const;

  /// Keeps a trial that ended while the search goes on.
  void offer(const TrialResult& trial);

  /// Keeps what a search of `trials` trials found.
  void take(const SweepResult& result);
};

/// The models of the options, with as many trials as were drawn in an earlier
/// call for each.
/// @param folder  of the whole search.
/// @throws UsageError as plan_models() does.
std::vector<Candidate> candidates_of(const TuneOptions& options,
                                     const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
