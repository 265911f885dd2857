#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "lab/compare/result.h"
#include "lab/sweep/sweep.h"

namespace ordered_gnn::lab {

/// What to compare, and how much to tune.
struct ComparisonOptions {
  std::vector<std::string> models;  ///< names of systems, see named_system.h
  /// Options of every run, by name, that win over recipes and search spaces:
  /// `data` at least. What is named here is not searched.
  Json values = Json::object();
  std::string splits = "all";
  /// Empty: 42; 42, 43 and 44 where there is one split, so that there is a
  /// deviation.
  std::vector<int64_t> seeds;
  /// Settings that every model may try: the one it starts from and so many
  /// drawn from its search space (search/systems/MODEL, else .../any). 0 and 1
  /// try the start alone; 0 with the epochs and the patience of its recipe, all
  /// others with those of the search spaces, which are the same for every
  /// model.
  int64_t trials = 16;
  /// Where search spaces are looked for before search/systems. Recipes that a
  /// system starts from are looked for in the folder of the same name first,
  /// and in those around it: "modern/NAME/DATASET" for "search/modern" and for
  /// "search/modern/directed".
  std::string spaces = "search/systems";
  /// Whether a system must have its space there: others are refused, for they
  /// would be searched by other rules.
  bool spaces_alone = false;
};

/// Never two are called at a time.
struct ComparisonHooks {
  /// What was assumed about the data.
  std::function<void(const std::string&)> on_note;
  std::function<void(const std::string&)> on_broken_line;
  std::function<void(const std::string& model, const SweepProgress&)> on_tuning;
  std::function<void(const LoggedRun&, const std::string& model,
                     const BatchProgress&)>
      on_run;
};

/// Trains models on the same splits after the same effort of tuning.
///
/// A model starts from the recipe for it and the dataset (systems/NAME/DATASET,
/// or its model's: table2/DATASET for ordered_gnn), where there is none from
/// its defaults. It is tuned by successive halving over splits with the first
/// seed, by mean validation score alone; then the chosen setting is run on
/// every split with every seed, runs of the search counting.
///
/// The folder gets `comparison.json` (marks it), `tuning/MODEL/` (a sweep
/// each), `runs.jsonl`, `memory.json` and the tables: `compare.json`,
/// `compare.csv`, `compare.md`, `compare.tex`, `compare.svg`. Killed at any
/// time it goes on where it was, and ends with the same tables, times and
/// memory included for what was measured before. More models may be added by
/// naming them.
///
/// @throws UsageError for fewer than two models, one without a search space
///         where it must have one, one given twice or unknown,
///         seeds given twice, options that do not fit; Error when the folder is
///         not ours, is in use or holds a comparison of other data, splits,
///         seeds or trials (naming what differs), and as run_batch() does. A
///         model whose runs fail is part of the result.
Comparison run_comparison(const ComparisonOptions& options,
                          const std::filesystem::path& folder,
                          const BatchOptions& batch,
                          const ComparisonHooks& hooks = {});

/// The settings of a model that run_comparison() would start from, and what it
/// would search.
struct ModelPlan {
  std::string model;  ///< the name of the system
  std::string start;  ///< see ComparedModel
  SweepSpec spec;     ///< its base is the start
};

/// @throws UsageError as run_comparison() does.
std::vector<ModelPlan> plan_comparison(const ComparisonOptions& options);

/// The same of one model or more, for a search that compares nothing.
std::vector<ModelPlan> plan_models(const ComparisonOptions& options);

/// The table for a terminal and for Markdown.
std::string comparison_text(const Comparison& comparison);
std::string comparison_markdown(const Comparison& comparison);
/// One line per model, best first.
std::string comparison_csv(const Comparison& comparison);
/// Means with two standard errors.
std::string comparison_plot(const Comparison& comparison);

/// Writes compare.json, compare.csv, compare.md, compare.tex and compare.svg.
void write_comparison(const Comparison& comparison,
                      const std::filesystem::path& folder);

}  // namespace ordered_gnn::lab
