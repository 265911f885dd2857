#pragma once
#include <gtest/gtest.h>

#include <string>

#include "core/io/file.h"
#include "data/data_support.h"
#include "lab/reproduce/report.h"
#include "lab/reproduce/reproduction.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {

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
