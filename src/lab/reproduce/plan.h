#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/reproduce/paper.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

struct Experiment;

/// What of the paper to repeat, and how much of it.
struct ReproductionOptions {
  std::vector<std::string> datasets;  ///< empty: all of the experiment
  /// Empty: 42; 42, 43 and 44 where a dataset has one split, so that there is a
  /// deviation, and for tuned settings; `modern` has three, and ten where there
  /// is one split.
  std::vector<int64_t> seeds;
  std::string splits;  ///< empty: all
  /// Models to train, by their names in the table of models. One that has
  /// recipes of its own (recipes/systems/MODEL/) takes them, another the
  /// settings of the experiment's recipe. Empty: for table2 every system of the
  /// paper, for systems all it has, else the models of the recipes. `systems`
  /// takes names of folders in recipes/systems too, and always has Ordered GNN.
  std::vector<std::string> models;
  /// Without the rows that others are compared with, for results that are added
  /// to some that have them, see merge_results(). Needs `models`.
  bool alone = false;
  /// First splits, one seed and few epochs: to see that everything works.
  bool quick = false;
  std::string data_root;
  /// Folder laid out as recipes/ to take instead of the built-in recipes;
  /// empty: those.
  std::filesystem::path recipes;
};

/// A number to be: what to train for it and what to put beside it.
struct PlannedCell {
  std::string row, column, recipe;
  RunOptions options;
  bool searched = false;  ///< see LoadedRecipe
  std::string splits = "all";
  int64_t most_splits = 0;     ///< the first of them; 0: all
  std::vector<int64_t> seeds;  ///< empty: by the number of splits, see below
  /// How many seeds there are, from that of the recipe on, where `seeds` is
  /// empty: of data with several splits, and with one.
  int64_t seeds_of_many = 1, seeds_of_one = 3;
  std::optional<PublishedValue> published, measured;
  std::string against;  ///< see CellResult
  /// The models of all seeds of a split answer as one; of `ensembles` alone.
  bool together = false;
  std::string unable;  ///< why nothing can be trained for it; mostly empty
};

/// All that an experiment is to do: forecasts and runs read nothing else.
struct ExperimentPlan {
  const Experiment* experiment = nullptr;  ///< never null once it is planned
  std::string title;
  bool quick = false;
  std::vector<std::string> notes;
  std::vector<PlannedCell> cells;
};

/// The names of the table of experiments, in its order.
std::vector<std::string> experiment_names();

/// The plans of what `name` stands for: an experiment, or with "all" those that
/// have a recipe for one of the datasets.
/// @throws UsageError for an unknown name, with the nearest one, and as
///         plan_experiment() does; Error for a broken recipe.
std::vector<ExperimentPlan> plan_experiments(
    const std::string& name, const ReproductionOptions& options);

/// @throws UsageError for an unknown name, models that the experiment does not
///         take or know, seeds or models given twice, and for datasets that no
///         recipe of the experiment uses, naming those that are; Error for a
///         broken recipe.
ExperimentPlan plan_experiment(const std::string& name,
                               const ReproductionOptions& options);

}  // namespace ordered_gnn::lab
