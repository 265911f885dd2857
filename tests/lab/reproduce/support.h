#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/io/file.h"
#include "data/data_support.h"
#include "lab/reproduce/report.h"
#include "lab/reproduce/reproduction.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {

/// A cell with a run of every score, each over a split of its own.
inline CellResult finished_cell(const std::string& row,
                                const std::string& column,
                                const std::vector<double>& scores) {
  CellResult cell;
  cell.row = row;
  cell.column = cell.dataset = column;
  cell.recipe = "table2/" + column;
  cell.fingerprint = "0123456789abcdef";
  for (const double score : scores) {
    CellRun run;
    run.split = static_cast<int64_t>(cell.runs.size());
    run.seed = 42;
    run.score = score;
    run.validation = score + 1;
    run.epochs = 10;
    run.best_epoch = 5;
    run.seconds = 1.5;
    cell.runs.push_back(run);
  }
  return cell;
}

inline CellResult missing_cell(const std::string& row,
                               const std::string& column,
                               const std::string& reason) {
  CellResult cell = finished_cell(row, column, {});
  cell.status = CellStatus::missing;
  cell.reason = reason;
  return cell;
}

/// A table as `command` would have made it.
inline ExperimentResult result_of(const std::vector<CellResult>& cells,
                                  const std::string& command) {
  ExperimentResult result;
  result.name = "table2";
  result.title = "Table 2: homophily and heterophily";
  result.device = "cpu";
  result.math = "fp32";
  result.machine = "a CPU, avx2";
  result.command = command;
  result.version = "0.1.0";
  result.commit = "abc";
  result.made_by = {{command, "0.1.0", "abc", 6}};
  result.notes = {"A note."};
  result.cells = cells;
  return result;
}

/// Small recipes in the layout of recipes/, a folder to reproduce them in, and
/// no data anywhere.
class ReproductionTest : public testing::Test {
 protected:
  ReproductionTest() {
    options_.recipes = dir_ / "recipes";
    recipe("table2/tiny", tiny(3));
    recipe("table2/other", tiny(2));
  }

  static Json tiny(int splits) {
    return {{"data",
             "synthetic:csbm?nodes=60&classes=3&features=8&degree=4"
             "&homophily=0.7&signal=2&seed=1&splits=" +
                 std::to_string(splits)},
            {"layers", 2},
            {"hidden", 16},
            {"epochs", 6},
            {"lr", 0.01}};
  }

  // With values of its own.
  static Json tiny(int splits, const Json& values) {
    Json all = tiny(splits);
    all.update(values);
    return all;
  }

  void recipe(const std::string& name, const Json& values) {
    write_text(dir_ / "recipes" / (name + ".json"), values.dump());
  }

  ExperimentResult run(const std::string& name) {
    ReproductionHooks hooks;
    trained_ = 0;
    hooks.on_run = [&](const LoggedRun&, const std::string&,
                       const BatchProgress&) { ++trained_; };
    return Reproduction(dir_ / "out", batch_, hooks)
        .run(plan_experiment(name, options_));
  }

  // The experiment `gates`, in which one cell has come to its end.
  ExperimentResult run_gates() {
    ExperimentResult result = run("gates");
    EXPECT_EQ(result.cells.size(), 1u);
    for (const CellResult& cell : result.cells) {
      EXPECT_EQ(cell.status, CellStatus::done) << cell.reason;
    }
    return result;
  }

  std::string out(const std::string& file) {
    return core::read_file(dir_ / "out" / file);
  }

  TempDir dir_;
  const data::ScopedEnvironment data_{"OGNN_DATA", (dir_ / "data").c_str()};
  const data::ScopedEnvironment cache_{"XDG_CACHE_HOME",
                                       (dir_ / "cache").c_str()};
  ReproductionOptions options_;
  BatchOptions batch_;
  int trained_ = 0;
};

}  // namespace ordered_gnn::lab
