#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/experiment/reproduction_result.h"

namespace ordered_gnn {

/// A plot of an experiment.
struct NamedPlot {
  std::string file;  ///< "depth.svg"; no two experiments share a name
  std::string svg;
};

/// Everything about an experiment as Markdown: the numbers beside the paper's,
/// paired comparisons, what is missing and why, the plots, the commands and the
/// code that made it. Starts with a heading of the second level.
/// @param plots  folder of the plots as links name it: "", "table2/".
std::string experiment_markdown(const ExperimentResult& result,
                                const std::string& plots);

/// One line per cell. Holds no times of runs and nothing of the machine, so the
/// same runs give the same bytes.
std::string experiment_csv(const ExperimentResult& result);

/// Our numbers and the paper's in one table for the terminal.
std::string experiment_text(const ExperimentResult& result);

std::vector<NamedPlot> experiment_plots(const ExperimentResult& result);

/// Writes FOLDER/NAME/ results.json, table.md, table.csv and the plots, then
/// FOLDER/results.md with all experiments that have results there.
void write_experiment(const ExperimentResult& result,
                      const std::filesystem::path& folder);

/// What was found in a folder of experiments.
struct FolderResults {
  std::vector<ExperimentResult> experiments;  ///< in the order of the names
  std::vector<std::string> problems;          ///< files that cannot be used
};

/// Reads FOLDER/*/results.json.
/// @throws Error when there is no folder.
FolderResults read_results(const std::filesystem::path& folder);

/// The page of all experiments.
/// @param plots  as above, "{}" standing for the name of the experiment.
std::string results_page(const FolderResults& results,
                         const std::string& plots);

/// Writes the page of a folder to `file`, made from result files alone, and the
/// plots beside it in a folder with the name of the file without extension.
/// @return  what could not be used.
/// @throws Error when the folder has no results at all.
std::vector<std::string> write_report(const std::filesystem::path& folder,
                                      const std::filesystem::path& file);

}  // namespace ordered_gnn
