#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/report/table.h"
#include "lab/reproduce/numbers.h"
#include "lab/reproduce/plan.h"
#include "lab/reproduce/plots.h"
#include "lab/reproduce/reproduction.h"
#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {

/// What runs of an experiment share with those of all others in a folder.
struct RunContext {
  std::filesystem::path folder;
  const BatchOptions& batch;
  const ReproductionHooks& hooks;
  RunLog& log;
  DatasetCache& datasets;
};

/// How the numbers of an experiment come about.
struct ExperimentRuns {
  /// Runs what is missing and fills in the cells and who made them.
  void (*run)(const ExperimentPlan&, const RunContext&, ExperimentResult&);
  /// What `run` would do, one per cell. Loads data and trains nothing; a folder
  /// that does not exist stays so.
  std::vector<CellForecast> (*forecast)(const ExperimentPlan&,
                                        const std::filesystem::path& folder,
                                        const BatchOptions&);
  /// One model is looked at: the plan names its split, and of several seeds the
  /// first counts.
  bool one_run = false;
};

/// What a result looks like. As it stands, that of a table of the paper with a
/// few rows.
struct ExperimentReport {
  const char* row_heading = "system";
  const char* column_heading = "dataset";
  /// Rows are systems, of which the first is judged against the others; see
  /// standings().
  bool ranks_rows = false;
  /// Rows are numbers of layers; see summarise_depths().
  bool over_depth = false;
  /// Table of the paper whose systems are listed below ours; null: none.
  const char* published = nullptr;
  /// Ours beside the paper's, one line per cell.
  ReportTable (*comparison)(const ExperimentResult&) = &comparison_table;
  /// The numbers for the terminal.
  std::vector<ReportTable> (*terminal)(const ExperimentResult&) =
      &comparison_alone;
  /// The same for Markdown: tables with a line about each.
  std::string (*markdown)(const ExperimentResult&) = &numbers_markdown;
  std::vector<NamedPlot> (*plots)(const ExperimentResult&) = &paper_plots;
};

/// A table or figure of the paper that the program repeats. Its entry is all
/// that tells it from others: nothing else asks for its name.
struct Experiment {
  const char* name;
  bool takes_models;  ///< whether --models chooses its rows
  /// Fills in the title, the notes and the cells from the recipes for the
  /// wanted datasets; no cells when there are none.
  void (*plan)(const ReproductionOptions&, ExperimentPlan&);
  ExperimentRuns runs;
  ExperimentReport report;
};

/// The table of them, in the order of pages.
const std::vector<Experiment>& experiments();

/// @throws UsageError for an unknown name, with the nearest one.
const Experiment& find_experiment(const std::string& name);

/// How the result is shown.
/// @throws UsageError when it is of no experiment of this version.
const ExperimentReport& report_of(const ExperimentResult& result);

}  // namespace ordered_gnn::lab
