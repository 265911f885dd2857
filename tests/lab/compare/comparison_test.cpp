#include "lab/compare/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/file.h"
#include "ordered_gnn/nn/models.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

class ComparisonTest : public testing::Test {
 protected:
  ComparisonTest() {
    options_.models = {"ordered_gnn", "mlp", "gcn"};
    options_.values = {
        {"data",
         "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=4"},
        {"epochs", 4},
        {"hidden", 16},
        {"layers", 2}};
    options_.trials = 3;
    batch_.execution.threads = 1;
  }

  Comparison run(const std::string& folder = "out") {
    ComparisonHooks hooks;
    trained_ = 0;
    hooks.on_run = [&](const LoggedRun&, const std::string&,
                       const BatchProgress&) { ++trained_; };
    return run_comparison(options_, dir_ / folder, batch_, hooks);
  }

  // The table without what is measured.
  static Json lasting(const Comparison& comparison) {
    Json json = to_json(comparison);
    json.erase("command");
    json.erase("broken_lines");
    for (Json& model : json["models"]) {
      for (const char* measured :
           {"seconds_per_run", "tuning_seconds", "peak_bytes"}) {
        model.erase(measured);
      }
      for (Json& run : model["runs"]) run.erase("seconds");
      model["config"].erase("threads");
    }
    return json;
  }

  std::string error() {
    return error_of([&] { run(); });
  }

  TempDir dir_;
  ComparisonOptions options_;
  BatchOptions batch_;
  int trained_ = 0;
};

TEST_F(ComparisonTest, TunesEveryModelAlikeAndWritesTheTables) {
  const Comparison result = run();
  ASSERT_EQ(result.models.size(), 3u);
  for (const ComparedModel& model : result.models) {
    EXPECT_EQ(model.error, "") << model.model;
    EXPECT_EQ(model.tried, 3) << model.model;
    EXPECT_EQ(model.runs.size(), 4u) << model.model;
    EXPECT_EQ(model.options.train.epochs, 4) << model.model;
    EXPECT_EQ(model.options.network.hidden, 16) << model.model;
    EXPECT_GT(model.parameters, 0) << model.model;
  }
  // Every split of the winner was run in its search.
  EXPECT_EQ(trained_, 0);
  for (const char* file : {"compare.json", "compare.csv", "compare.md",
                           "compare.svg", "tuning/gcn/trials.csv"}) {
    EXPECT_TRUE(std::filesystem::exists(dir_ / "out" / file)) << file;
  }
  EXPECT_EQ(Json::parse(core::read_file(dir_ / "out/compare.json")),
            to_json(result));
}

TEST_F(ComparisonTest, SearchSpacesOfOneFolderAreTheSameRulesForAll) {
  options_.models = {"ordered_gnn_transform", "tuned_gnn_sage", "mlp"};
  options_.spaces = "search/modern";
  options_.spaces_alone = true;
  options_.values.erase("layers");
  const std::vector<ModelPlan> plans = plan_comparison(options_);
  ASSERT_EQ(plans.size(), 3u);
  EXPECT_EQ(plans[0].spec.base.network.transform, Transform::linear);
  EXPECT_EQ(to_json(plans[1].spec.base).at("convolution"), "sage");
  for (const ModelPlan& plan : plans) {
    EXPECT_EQ(plan.spec.eta, plans[0].spec.eta) << plan.model;
    EXPECT_EQ(plan.spec.min_budget, plans[0].spec.min_budget) << plan.model;
    EXPECT_EQ(plan.spec.base.train.patience, 200) << plan.model;
  }
  const Comparison result = run();
  for (const ComparedModel& model : result.models) {
    EXPECT_EQ(model.error, "") << model.model;
    EXPECT_EQ(model.tried, 3) << model.model;
  }
  options_.models = {"mlp", "gcn"};
  EXPECT_TRUE(contains(error(),
                       "there is no search space search/modern/gcn; "
                       "it has acm_gcn, dir_gnn"));
  options_.spaces = "search/none";
  EXPECT_TRUE(contains(error(), "there is no folder search/none"));
}

TEST_F(ComparisonTest, StartsAreThoseOfTheFolderOfTheSpaces) {
  options_.values = {{"data", "squirrel"}};
  options_.models = {"ordered_gnn", "tuned_gnn_gcn"};
  options_.spaces = "search/modern/directed";
  options_.spaces_alone = true;
  std::vector<ModelPlan> plans = plan_comparison(options_);
  EXPECT_EQ(plans[0].start, "modern/ordered_gnn/squirrel");
  EXPECT_EQ(plans[1].start, "modern/tuned_gnn_gcn/squirrel");
  EXPECT_EQ(plans[1].spec.base.data.split_set, "geom-gcn");
  options_.spaces = "search/modern";
  options_.values = {{"data", "minesweeper"}};
  plans = plan_comparison(options_);
  EXPECT_EQ(plans[0].spec.base.train.metric, Metric::roc_auc);
  options_.values["metric"] = "accuracy";
  plans = plan_comparison(options_);
  EXPECT_EQ(plans[1].spec.base.train.metric, Metric::accuracy);
}

TEST_F(ComparisonTest, SeedsAreRunWithTheChosenSetting) {
  options_.seeds = {7, 8};
  const Comparison result = run();
  EXPECT_EQ(trained_, 3 * 4);
  EXPECT_EQ(result.models[0].runs.size(), 8u);
  EXPECT_EQ(result.models[0].runs[0].seed, 7);
}

TEST_F(ComparisonTest, OneSplitIsRunWithThreeSeeds) {
  options_.splits = "2";
  options_.trials = 0;
  const Comparison result = run();
  EXPECT_EQ(result.seeds, (std::vector<int64_t>{42, 43, 44}));
  EXPECT_EQ(result.models[0].runs.size(), 3u);
}

TEST_F(ComparisonTest, WithoutTrialsDefaultsAreTaken) {
  options_.values.erase("epochs");
  options_.values["patience"] = 2;
  options_.trials = 0;
  std::vector<ModelPlan> plans = plan_comparison(options_);
  EXPECT_EQ(plans[2].spec.base.train.epochs, 200);  // of GCN itself
  options_.trials = 1;
  plans = plan_comparison(options_);
  for (const ModelPlan& plan : plans) {
    EXPECT_EQ(plan.spec.base.train.epochs, 1000) << plan.model;
  }
  EXPECT_EQ(run().models[2].tried, 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out/tuning"));
}

TEST_F(ComparisonTest, StartsFromRecipesAndSharesTheirSplits) {
  options_.values = {{"data", "cora"}};
  options_.models = {"gcnii_star", "gcn", "ordered_gnn", "gcnii"};
  const std::vector<ModelPlan> plans = plan_comparison(options_);
  EXPECT_EQ(plans[0].start, "systems/gcnii_star/cora");
  EXPECT_EQ(plans[1].start, "systems/gcn/cora");
  EXPECT_EQ(plans[2].start, "table2/cora");
  for (const ModelPlan& plan : plans) {
    EXPECT_EQ(plan.spec.base.data.split_set, "geom-gcn") << plan.model;
    EXPECT_EQ(plan.spec.base.model, plan.model);
    EXPECT_EQ(plan.spec.trials, 2);
  }
}

TEST_F(ComparisonTest, EveryRowIsTheModelItIsCalledAfter) {
  options_.models = model_names();
  for (const char* data : {"texas", "cora", "actor"}) {
    for (const int64_t trials : {0, 16}) {
      options_.values = {{"data", data}};
      options_.trials = trials;
      for (const ModelPlan& plan : plan_comparison(options_)) {
        EXPECT_EQ(plan.spec.base.model, plan.model) << data;
        const std::vector<std::string> names = plan.spec.space.names();
        EXPECT_EQ(std::count(names.begin(), names.end(), "model"), 0)
            << plan.model;
      }
    }
  }
}

TEST_F(ComparisonTest, OptionsMakeOtherSystemsOfAModel) {
  options_.values = {{"data", "texas"}};
  options_.models = {"ordered_gnn_max", "mlp_correct_smooth",
                     "gat_correct_smooth", "ordered_gnn"};
  const std::vector<ModelPlan> plans = plan_comparison(options_);
  EXPECT_EQ(plans[0].start, "systems/ordered_gnn_max/texas");
  EXPECT_EQ(plans[0].spec.base.model, "ordered_gnn");
  EXPECT_EQ(plans[0].spec.base.network.aggregator, Aggregator::max);
  EXPECT_EQ(plans[1].start, "systems/mlp_correct_smooth/texas");
  EXPECT_TRUE(plans[1].spec.base.correct_smooth.enabled);
  // Without a recipe of its own it has that of its model.
  EXPECT_EQ(plans[2].start, "systems/gat/texas");
  EXPECT_EQ(plans[2].spec.base.model, "gat");
  EXPECT_TRUE(plans[2].spec.base.correct_smooth.enabled);
  EXPECT_EQ(plans[3].spec.base.network.aggregator, Aggregator::mean);
  EXPECT_FALSE(plans[3].spec.base.correct_smooth.enabled);
}

TEST_F(ComparisonTest, WhatIsFixedIsNotSearched) {
  options_.values["direction"] = "undirected";
  for (const ModelPlan& plan : plan_comparison(options_)) {
    const std::vector<std::string> names = plan.spec.space.names();
    for (const char* fixed : {"direction", "hidden", "layers"}) {
      EXPECT_EQ(std::count(names.begin(), names.end(), fixed), 0)
          << plan.model << fixed;
    }
  }
}

TEST_F(ComparisonTest, ALogCutAnywhereIsCompletedToTheSameTable) {
  options_.seeds = {1, 2};
  const Json whole = lasting(run());
  const std::string memory = core::read_file(dir_ / "out/memory.json");
  for (const char* log : {"runs.jsonl", "tuning/mlp/runs.jsonl"}) {
    const std::filesystem::path file = dir_ / "out" / log;
    const std::string text = core::read_file(file);
    write_text(file, text.substr(0, text.size() / 2));
    std::filesystem::remove(dir_ / "out/compare.json");
    EXPECT_EQ(lasting(run()), whole) << log;
    EXPECT_EQ(core::read_file(dir_ / "out/memory.json"), memory);
  }
  EXPECT_EQ(lasting(run()), whole);
  EXPECT_EQ(trained_, 0);
}

TEST_F(ComparisonTest, WorkersGiveTheSameTable) {
  const Json one = lasting(run());
  batch_.execution.threads = 0;
  batch_.execution.workers = 2;
  EXPECT_EQ(lasting(run("other")), one);
}

TEST_F(ComparisonTest, ModelsMayBeAdded) {
  options_.trials = 0;
  run();
  options_.models.push_back("graphsage");
  const Comparison more = run();
  EXPECT_EQ(trained_, 4);
  EXPECT_EQ(more.models.size(), 4u);
}

TEST_F(ComparisonTest, AModelThatFailsIsPartOfTheResult) {
  // Sums over 70 layers overflow; the MLP has none.
  options_.values.update({{"gating", "none"},
                          {"norm", "none"},
                          {"aggregator", "sum"},
                          {"layers", 70}});
  options_.models = {"ordered_gnn", "mlp"};
  for (const int64_t trials : {0, 2}) {
    options_.trials = trials;
    const Comparison result = run("out-" + std::to_string(trials));
    EXPECT_TRUE(contains(result.models[0].error, "diverged")) << trials;
    EXPECT_TRUE(result.models[1].done()) << trials;
    EXPECT_TRUE(contains(conclusion(result), "Only mlp has a result"));
  }
}

TEST_F(ComparisonTest, AFolderOfAnotherComparisonIsRefused) {
  options_.trials = 0;
  run();
  options_.seeds = {9};
  EXPECT_TRUE(contains(error(), "seeds"));
  options_.seeds.clear();
  options_.trials = 1;
  EXPECT_TRUE(contains(error(), "trials"));
}

TEST_F(ComparisonTest, MistakesAreFoundBeforeTheFolderIsMade) {
  const ComparisonOptions good = options_;
  const auto refused = [&](const char* part,
                           const std::function<void()>& spoil) {
    options_ = good;
    spoil();
    EXPECT_TRUE(contains(error(), part)) << error();
  };
  refused("at least two", [&] { options_.models = {"mlp"}; });
  refused("given twice", [&] { options_.models = {"mlp", "mlp"}; });
  refused("'mlp'", [&] { options_.models = {"mlq", "gcn"}; });
  refused("seed 3 is given twice", [&] { options_.seeds = {3, 3}; });
  refused("no dataset", [&] { options_.values.erase("data"); });
  refused("split 9 does not exist", [&] { options_.splits = "9"; });
  refused("gat: ", [&] {
    options_.models = {"mlp", "gat"};
    options_.values["hidden"] = 15;
    options_.values["chunk"] = 5;
  });
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(ComparisonTest, DamagedMeasurementsAreMadeAgain) {
  options_.trials = 0;
  run();
  write_text(dir_ / "out/memory.json", "{\"cut");
  EXPECT_TRUE(run().models[0].done());
  EXPECT_TRUE(
      Json::parse(core::read_file(dir_ / "out/memory.json")).is_object());
}

}  // namespace
}  // namespace ordered_gnn::lab
