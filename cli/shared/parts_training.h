#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>

#include "lab/runs/run_splits.h"
#include "scale/ranks/launch.h"
#include "scale/ranks/parts_run.h"

namespace ordered_gnn::cli {

/// How ranks share the parts of a graph.
struct PartsArguments {
  int64_t ranks = 0;  ///< 0: one, or as many as were started
  std::string engine = "auto";
  std::string interface;
  std::string wire = "fp32";
  std::string memory;  ///< limit of every process; empty: none
  std::string spill;   ///< folder for what does not fit; empty: see --help
};
void add_parts_options(CLI::App& command, PartsArguments& arguments);

/// Whether options name a folder of parts.
/// @throws UsageError when they do not and ranks or an engine were asked for.
bool trains_over_parts(const RunOptions& options,
                       const PartsArguments& arguments);

/// @throws UsageError when ranks or an engine were asked for, of data that is
///         no folder of parts.
void require_no_ranks(const PartsArguments& arguments);

/// What is trained over parts, and how.
struct PartsTraining {
  PartsArguments arguments;
  TreatmentChoice said;  ///< of the treatment, on the command line
  std::string out;       ///< folder of the run; empty: none
  bool quiet = false;
  scale::SpillUse use = scale::SpillUse::pass;
};

/// The name of the data that the parts were made of.
std::string parts_name(const RunOptions& options);

/// Whether this process is another rank than 0 of a run over parts, which then
/// has served until the end of the run.
bool served_as_rank(const RunOptions& options, const PartsTraining& how);

/// Calls `body` as rank 0 of the ranks that are asked for, which serve.
void work_over_parts(const RunOptions& options, const PartsTraining& how,
                     const scale::ScoredNodes& scored,
                     const std::function<void(scale::PartsRun& run)>& body);

/// run_splits() over the parts that the options name, as rank 0.
lab::RunSummary train_parts(const RunOptions& options, const PartsTraining& how,
                            const lab::SplitsHooks& hooks);

}  // namespace ordered_gnn::cli
