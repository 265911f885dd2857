// Searches that a clock ends.
#include "lab/tune/tune.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/io/file.h"
#include "lab/compare/comparison.h"
#include "ordered_gnn/train/trained.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

class TuneTest : public testing::Test {
 protected:
  TuneTest() {
    options_.values = {
        {"data",
         "synthetic:csbm?nodes=90&classes=3&features=8&degree=4&splits=0"},
        {"epochs", 5},
        {"hidden", 16}};
    options_.minutes = 0;
    batch_.execution.threads = 1;
    batch_.command = "ognn tune";
  }

  // Time passes by a second whenever something is told.
  TuneResult run(const std::string& name, TuneHooks hooks = {}) {
    double now = 0;
    hooks.clock = [&] { return now; };
    const auto told = hooks.on_progress;
    hooks.on_progress = [&](const TuneProgress& progress) {
      now += 1;
      if (told) told(progress);
    };
    return run_tune(options_, dir_ / name, batch_, hooks);
  }

  size_t logged(const std::string& name, const std::string& model) {
    const auto log = dir_ / name / "search" / model / "runs.jsonl";
    return std::filesystem::exists(log) ? read_run_log(log).size() : 0;
  }

  TuneOptions options_;
  BatchOptions batch_;
  TempDir dir_;
};

TEST_F(TuneTest, EndsWithTheBestModelTrainedAndSaved) {
  options_.minutes = 1;
  std::vector<std::string> notes;
  TuneHooks hooks;
  hooks.on_note = [&](const std::string& note) { notes.push_back(note); };
  int64_t told = 0;
  hooks.on_progress = [&](const TuneProgress& progress) {
    ++told;
    EXPECT_GE(progress.seconds_left, 0);
  };
  const TuneResult result = run("tuned", hooks);
  EXPECT_GT(told, 0);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0], "stratified:60/20/20x1"));
  const TunedModel& best = result.models[result.best];
  for (const TunedModel& model : result.models) {
    ASSERT_TRUE(model.best.has_value()) << model.model;
    EXPECT_GE(model.trials, 2) << model.model;
    EXPECT_LE(model.best->objective(), best.best->objective());
  }
  // The model on the disk is the one that was chosen, to the bit.
  ASSERT_EQ(result.summary.runs.size(), 1u);
  const RunResult& trained = result.summary.runs[0];
  EXPECT_EQ(trained.val.accuracy, best.best->objective());
  EXPECT_EQ(trained.checkpoint,
            (dir_ / "tuned/best/split-0/model.safetensors").string());
  const Trained loaded = load_trained(trained.checkpoint);
  EXPECT_EQ(loaded.options.model, best.options.model);
  EXPECT_EQ(loaded.options.data.split_set, "stratified:60/20/20x1");
}

TEST_F(TuneTest, WithoutTimeTheFirstCompleteTrialIsTaken) {
  const TuneResult result = run("tuned");
  EXPECT_EQ(result.models[result.best].model, "mlp");
  EXPECT_GE(result.models[result.best].trials, 1);
  EXPECT_FALSE(result.models[2].best.has_value());
  EXPECT_TRUE(contains(result.models[2].error, "time was up"));
  const std::string text = tune_text(result);
  EXPECT_TRUE(contains(text, "val accuracy, %"));
  // Nothing that sees the graph was tried, so nothing is said of it.
  EXPECT_FALSE(contains(text, "edges"));
  const Json json = to_json(result);
  EXPECT_EQ(json.at("best"), "mlp");
  EXPECT_TRUE(json.at("models")[2].at("val_mean").is_null());
}

TEST_F(TuneTest, GoesOnWithWhatAnEarlierCallTried) {
  options_.minutes = 1;
  const TuneResult first = run("tuned");
  size_t lines = 0;
  for (const TunedModel& model : first.models) {
    lines += logged("tuned", model.model);
  }
  options_.minutes = 0;
  const TuneResult again = run("tuned");
  size_t later = 0;
  for (const TunedModel& model : again.models) {
    later += logged("tuned", model.model);
  }
  // Nothing is tried twice, and without time only what had been begun.
  EXPECT_LE(later, lines + 1);
  EXPECT_EQ(again.models[again.best].model, first.models[first.best].model);
  EXPECT_EQ(again.models[again.best].best->objective(),
            first.models[first.best].best->objective());
  options_.minutes = 1;
  run("tuned");
  size_t last = 0;
  for (const TunedModel& model : again.models) {
    last += logged("tuned", model.model);
  }
  EXPECT_GT(last, later);
}

TEST_F(TuneTest, ASearchThatWasCutGoesOn) {
  options_.minutes = 2;
  struct Killed {};
  TuneHooks killing;
  int64_t calls = 0;
  killing.on_progress = [&](const TuneProgress&) {
    if (++calls == 20) throw Killed{};
  };
  EXPECT_THROW(run("tuned", killing), Killed);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "tuned/best"));
  options_.minutes = 0;
  const TuneResult result = run("tuned");
  EXPECT_TRUE(std::filesystem::exists(result.summary.runs[0].checkpoint));
}

TEST_F(TuneTest, TriesNoMoreSettingsThanItMay) {
  options_.minutes = 1000;
  options_.trials = 30;
  const TuneResult result = run("tuned");
  int64_t trials = 0, most = 0;
  for (const TunedModel& model : result.models) {
    trials += model.trials;
    most = std::max(most, model.trials);
    EXPECT_GE(model.trials, 6) << model.model;
    EXPECT_EQ(logged("tuned", model.model), static_cast<size_t>(model.trials));
  }
  EXPECT_EQ(trials, 30);
  // Whoever was ahead had more turns than the others.
  EXPECT_GE(most, 12);
  EXPECT_EQ(run("tuned").models[0].trials, result.models[0].trials);
}

TEST_F(TuneTest, TheOrderedGnnStartsFromDiverseSettings) {
  options_.values.erase("hidden");
  options_.models = {"ordered_gnn"};
  options_.minutes = 1000;
  options_.trials = 6;
  run("tuned");
  std::set<int64_t> depths;
  std::set<Norm> norms;
  int transformed = 0;
  for (const LoggedRun& run :
       read_run_log(dir_ / "tuned/search/ordered_gnn/runs.jsonl")) {
    EXPECT_TRUE(run.result.has_value()) << run.error;
    const OrderedGnnOptions& network = run.options.network;
    depths.insert(network.layers);
    if (network.transform != Transform::linear) continue;
    ++transformed;
    norms.insert(network.candidate_norm);
  }
  EXPECT_EQ(depths, (std::set<int64_t>{1, 2, 3, 4, 8, 12}));
  EXPECT_EQ(transformed, 4);
  EXPECT_EQ(norms.size(), 2u);
}

TEST_F(TuneTest, ABetterSettingReplacesTheModelOfAnEarlierCall) {
  const TuneResult first = run("tuned");
  ASSERT_EQ(first.models[first.best].model, "mlp");
  // Only the other model from now on.
  options_.models = {"ordered_gnn"};
  const TuneResult later = run("tuned");
  EXPECT_EQ(load_trained(later.summary.runs[0].checkpoint).options.model,
            "ordered_gnn");
}

TEST_F(TuneTest, ChoosesByTheMetricAndNeedsNoTestPart) {
  options_.values["metric"] = "log_loss";
  options_.values["class-weights"] = "balanced";
  options_.values["split-set"] = "stratified:80/20/0x1";
  options_.models = {"mlp"};
  const TuneResult result = run("tuned");
  EXPECT_EQ(result.metric, Metric::log_loss);
  EXPECT_TRUE(std::isnan(result.models[0].test));
  const Json json = to_json(result);
  EXPECT_TRUE(json["models"][0]["test_mean_not_used_for_choosing"].is_null());
  EXPECT_GT(json["models"][0]["val_mean"].get<double>(), 0);
  EXPECT_EQ(result.summary.options.train.class_weights, "balanced");
  EXPECT_TRUE(contains(tune_text(result), "val log_loss"));
}

TEST_F(TuneTest, RefusesWhatDoesNotFit) {
  const auto refused = [&](const char* part) {
    EXPECT_TRUE(contains(error_of([&] { run("other"); }), part));
  };
  const TuneOptions good = options_;
  run("other");
  options_.values["epochs"] = 6;
  refused("other settings");
  options_ = good;
  options_.models = {"mlpp"};
  refused("mlp");
  options_.models = {};
  refused("--models");
  options_ = good;
  options_.values["data"] =
      "synthetic:csbm?nodes=4&classes=2&features=8&degree=2&splits=0";
  refused("labelled nodes");
}

TEST(TuneText, SaysWhatTheEdgesAddWhenBothWereTried) {
  const auto model_of = [](const std::string& name, double score) {
    TunedModel model;
    model.model = name;
    TrialResult trial;
    trial.planned = trial.runs = 1;
    trial.val.mean = score;
    model.best = trial;
    return model;
  };
  TuneResult result;
  result.models = {model_of("mlp", 0.6), model_of("gcn", 0.8)};
  result.best = 1;
  EXPECT_TRUE(contains(tune_text(result), "reaches 60.00 %, gcn 80.00 %"));
  result.models[1].best->val.mean = 0.5;
  result.best = 0;
  EXPECT_TRUE(contains(tune_text(result), "these edges do not help"));
}

TEST(TuneSpaces, SearchWhatATunerWouldSearch) {
  ComparisonOptions options;
  options.models = {"ordered_gnn", "gcn", "mlp"};
  options.values = {{"data", "mine.npz"}};
  options.spaces = "search/tune";
  const std::vector<ModelPlan> plans = plan_models(options);
  ASSERT_EQ(plans.size(), 3u);
  const std::vector<std::string> names = plans[0].spec.space.names();
  const std::set<std::string> searched(names.begin(), names.end());
  for (const char* name : {"layers", "hidden", "chunk", "dropout-theta",
                           "dropout-xi", "lr", "l2-theta", "l2-xi"}) {
    EXPECT_EQ(searched.count(name), 1u) << name;
  }
  EXPECT_EQ(plans[0].spec.base.network.hidden, 64);
  EXPECT_EQ(plans[1].spec.base.model, "gcn");
  EXPECT_EQ(plans[2].spec.base.model, "mlp");
  // Every setting of the finite spaces fits the model.
  for (const ModelPlan& plan : plans) {
    for (const Setting& setting : plan.spec.space.sample(1, 200)) {
      RunOptions run = plan.spec.base;
      apply_json(run_option_table(), to_json(setting), run);
      EXPECT_NO_THROW(validate_values(run)) << to_json(setting).dump();
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
