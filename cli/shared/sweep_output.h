#pragma once
#include <string>

#include "lab/sweep/sweep.h"

namespace ordered_gnn::cli {

/// "lr=0.01 tied-gates=true".
std::string setting_text(const lab::Setting& setting);

/// What is done, the time and the best trial so far: a small table for a
/// terminal, the same words in one line otherwise.
std::string progress_text(const lab::SweepProgress& progress, bool terminal);

/// The ten best trials as a table, by validation score.
std::string best_trials(const lab::SweepSpec& spec,
                        const lab::SweepResult& result);

/// How many runs there were, and the winner with its test score.
std::string closing_lines(const std::string& folder,
                          const lab::SweepResult& result);

/// All trials and the winner, the only one with a test score.
Json sweep_json(const lab::SweepSpec& spec, const lab::SweepResult& result);

}  // namespace ordered_gnn::cli
