#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::cli {

/// Options of training that search spaces decide, with what only a single run
/// has use for: all but those that are the same for every model.
std::vector<std::string> searched_training_options();

/// Takes out the values that say which runs there are and how they are done,
/// not what they are.
void erase_how_runs_are_done(Json& values);

/// FOLDER/texas for texas, FOLDER/mine for data/mine.npz.
std::string folder_named_after(const std::string& data,
                               const std::string& folder);

}  // namespace ordered_gnn::cli
