#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/reproduce/result.h"

namespace ordered_gnn::lab {

/// Takes the cells of further runs of an experiment into its result: a finished
/// one replaces the one of its row and column, whatever that is, one of a new
/// row or column comes last. Cells that are not done replace nothing. Makers,
/// machines, notes and gates are added to those that are there. A cell may be
/// of another device, whose sums have another order, and says so.
/// @throws Error when the two are of different experiments, units or
///         arithmetic, times are of two devices, or one is quick.
void merge_result(const ExperimentResult& more, ExperimentResult& result);

/// The same of all results of a folder, written into the results of another;
/// an experiment that is new there is taken as a whole.
/// @return  files of `more` that cannot be used.
/// @throws Error when a folder is not there, `more` has no results, or results
///         do not go together: nothing is written then.
std::vector<std::string> merge_results(const std::filesystem::path& more,
                                       const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
