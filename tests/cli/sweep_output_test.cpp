#include "shared/sweep_output.h"

#include <gtest/gtest.h>

#include "support/errors.h"

namespace ordered_gnn::cli {
namespace {

lab::SweepProgress halfway() {
  lab::SweepProgress progress;
  progress.runs_total = 40;
  progress.runs_done = 20;
  progress.runs_failed = 1;
  progress.seconds = 65;
  progress.seconds_left = 62;
  progress.training_share = 0.958;
  return progress;
}

lab::TrialResult trial_with(double score) {
  lab::TrialResult trial;
  trial.number = 3;
  trial.setting = {{"gating", "softor"}, {"lr", 0.01}};
  trial.planned = trial.runs = 1;
  trial.val = lab::describe({score});
  return trial;
}

TEST(SweepOutput, ProgressTellsDoneFailedTimeAndBest) {
  lab::SweepProgress progress = halfway();
  EXPECT_EQ(progress_text(progress, false),
            "20/40 runs done, 1 failed; 1:05 passed, 1:02 left, 96 % of the "
            "time training; no trial complete yet");
  progress.best = trial_with(0.8432);
  progress.rungs = 3;
  progress.rung = 1;
  EXPECT_EQ(progress_text(progress, true),
            "  done  20/40 runs done, 1 failed, rung 2 of 3\n"
            "  time  1:05 passed, 1:02 left, 96 % of the time training\n"
            "  best  val 84.32 (trial 3: gating=softor lr=0.01)");
}

TEST(SweepOutput, EqualScoresAreLevelAndTheTableNamesItsMetric) {
  lab::SweepSpec spec;
  spec.base.train.metric = Metric::macro_f1;
  lab::SweepResult result;
  for (const double score : {0.5, 0.75, 0.75}) {
    lab::TrialResult trial = trial_with(score);
    trial.number = static_cast<int64_t>(result.trials.size());
    trial.setting.clear();
    result.trials.push_back(trial);
  }
  result.best = 1;
  const std::string tied = best_trials(spec, result);
  EXPECT_TRUE(contains(tied, "val macro_f1, %")) << tied;
  EXPECT_TRUE(contains(tied, "  level, taken\n")) << tied;
  EXPECT_TRUE(contains(tied, "  level\n")) << tied;
  result.trials[2] = result.trials[0];
  EXPECT_TRUE(contains(best_trials(spec, result), "  best\n"));
}

TEST(SweepOutput, TheWinnersTestScoreIsMarked) {
  lab::SweepResult result;
  result.trials = {trial_with(0.5)};
  result.best = 0;
  result.best_test_mean = 0.4567;
  result.dataset = "cora";
  result.runs = 3;
  result.skipped = 2;
  const std::string text = closing_lines("out", result);
  EXPECT_TRUE(contains(text, "5 runs (2 were there already), 0 failed"));
  EXPECT_TRUE(contains(text, "test 45.67 (not used for choosing)"));
  EXPECT_TRUE(contains(text, "out/best.json"));
  EXPECT_FALSE(contains(text, "could not win"));
  result.trials.push_back(trial_with(0.9));
  result.trials.back().failed = 1;
  EXPECT_TRUE(contains(closing_lines("out", result),
                       "1 of 2 settings had failed runs and could not win"));
  result.best.reset();
  EXPECT_FALSE(contains(closing_lines("out", result), "test"));
}

}  // namespace
}  // namespace ordered_gnn::cli
