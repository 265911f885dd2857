#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lab/reproduce/result.h"

namespace ordered_gnn::lab {

/// A plot of an experiment.
struct NamedPlot {
  std::string file;  ///< "depth.svg"; no two experiments share a name
  std::string svg;
};

/// Why numbers lie far below the paper's, as people see it: by experiment, row
/// and column, where "*" stands for every column.
using ShortfallReasons =
    std::map<std::string,
             std::map<std::string, std::map<std::string, std::string>>>;

/// What people say about experiments.
struct Commentary {
  ShortfallReasons reasons;
  /// By experiment; paragraphs of Markdown about all of it.
  std::map<std::string, std::vector<std::string>> remarks;
};

/// The file that holds it in a folder of experiments, one JSON object:
///   {"table2": {"JK-Net*": {"texas": "text", "*": "text"}},
///    "remarks": {"table2": ["text"]}}
/// Keys that start with "//" are comments.
constexpr const char* kReasonsFile = "reasons.json";

/// @return  nothing when the folder has no such file.
/// @throws Error naming the file when it is no JSON or has another form.
Commentary read_commentary(const std::filesystem::path& folder);

/// Everything about an experiment as Markdown: notes and remarks, the numbers
/// beside the paper's, paired comparisons, what is missing and why, what is far
/// below the paper's numbers, the plots, the commands and the code that made
/// it. Starts with a heading of the second level.
/// @param plots  folder of the plots as links name it: "", "table2/".
std::string experiment_markdown(const ExperimentResult& result,
                                const std::string& plots,
                                const Commentary& commentary = {});

/// One line per cell. Holds no times of runs and nothing of the machine, so the
/// same runs give the same bytes.
std::string experiment_csv(const ExperimentResult& result);

/// Our numbers and the paper's in one table for the terminal.
std::string experiment_text(const ExperimentResult& result);

/// The same tables for LaTeX.
std::string experiment_latex(const ExperimentResult& result);

std::vector<NamedPlot> experiment_plots(const ExperimentResult& result);

/// Writes FOLDER/NAME/results.json alone.
void write_result(const ExperimentResult& result,
                  const std::filesystem::path& folder);

/// Writes FOLDER/NAME/ results.json, table.md, table.tex, table.csv and the
/// plots, then FOLDER/results.md with all experiments that have results there.
void write_experiment(const ExperimentResult& result,
                      const std::filesystem::path& folder);

/// What was found in a folder of experiments.
struct FolderResults {
  std::vector<ExperimentResult> experiments;  ///< in the order of the table
  Commentary commentary;
  std::vector<std::string> problems;  ///< files that cannot be used
};

/// Reads FOLDER/*/results.json and FOLDER/reasons.json. Results of experiments
/// that this version does not have are problems.
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

}  // namespace ordered_gnn::lab
