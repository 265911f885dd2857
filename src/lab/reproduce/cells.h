#pragma once
#include <string>
#include <vector>

#include "lab/reproduce/plan.h"
#include "lab/reproduce/result.h"
#include "lab/runs/run_batch.h"

namespace ordered_gnn::lab {

/// A planned cell with its runs, or with the reason why there are none.
struct ReadyCell {
  CellResult result;              ///< without runs
  std::vector<PlannedRun> runs;   ///< empty unless the data is there
  std::vector<std::string> keys;  ///< of the runs in the log
};

/// The labels of a cell and what is published for it.
CellResult empty_result(const PlannedCell& cell);

/// Loads the data of the cell and lists its runs. Data that is not there makes
/// the cell missing, anything else that is wrong makes it failed.
ReadyCell make_ready(const PlannedCell& cell, const BatchOptions& batch,
                     DatasetCache& datasets);

/// Folder of the model of one run, its own for every choice of options.
std::filesystem::path model_folder(const std::filesystem::path& models,
                                   const ReadyCell& cell, size_t run);

/// Makes the cell what an Error says: missing where files of its dataset are in
/// no data root, else failed.
void mark_unable(const DataOptions& data, const std::string& error,
                 CellResult& cell);

/// A message as one line.
std::string one_line(const std::string& text);

}  // namespace ordered_gnn::lab
