// Successive halving: which trials climb, and what that costs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/io/file.h"
#include "lab/sweep/rungs.h"
#include "lab/sweep/sweep.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

SweepSpec halving_sweep(Budget budget) {
  SweepSpec spec;
  spec.base = tiny_run();
  spec.base.splits = "all";
  spec.base.train.epochs = 8;
  spec.space = SearchSpace(
      Json::parse(R"({"lr": [0.0001, 0.001, 0.01, 0.03, 0.1, 0.3]})"));
  spec.method = SearchMethod::halving;
  spec.budget = budget;
  spec.eta = 2;
  return spec;
}

SweepResult run_alone(const SweepSpec& spec,
                      const std::filesystem::path& folder,
                      const SweepHooks& hooks = {}) {
  BatchOptions options;
  options.execution.threads = 1;
  return run_sweep(spec, folder, options, hooks);
}

std::vector<std::vector<int64_t>> shapes(const SweepSpec& spec, int64_t trials,
                                         int64_t splits) {
  std::vector<std::vector<int64_t>> out;
  for (const Rung& rung : plan_rungs(spec, trials, splits)) {
    out.push_back({rung.trials, rung.splits, rung.epochs, rung.new_splits});
  }
  return out;
}

TEST(HalvingRungs, GrowTheBudgetAsTrialsBecomeFewer) {
  SweepSpec spec = halving_sweep(Budget::splits);
  spec.eta = 3;
  using Shapes = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(
      shapes(spec, 40, 10),
      (Shapes{{40, 1, 0, 1}, {14, 3, 0, 2}, {5, 9, 0, 6}, {2, 10, 0, 1}}));
  // A trial that is alone goes to the end at once.
  EXPECT_EQ(shapes(spec, 3, 10), (Shapes{{3, 1, 0, 1}, {1, 10, 0, 9}}));
  EXPECT_EQ(shapes(spec, 5, 1), (Shapes{{5, 1, 0, 1}}));
  // Data of few splits has one rung of all of them.
  spec.min_budget = 3;
  EXPECT_EQ(shapes(spec, 5, 3), (Shapes{{5, 3, 0, 3}}));
  EXPECT_EQ(shapes(spec, 5, 2), (Shapes{{5, 2, 0, 2}}));
  spec.budget = Budget::epochs;
  spec.base.train.epochs = 100;
  spec.min_budget = 20;
  EXPECT_EQ(shapes(spec, 9, 4),
            (Shapes{{9, 4, 20, 4}, {3, 4, 60, 4}, {1, 4, 100, 4}}));
  spec.min_budget = 101;
  EXPECT_TRUE(contains(error_of([&] { shapes(spec, 9, 4); }),
                       "\"min-budget\" is 101, but there are 100 epochs"));
  spec.method = SearchMethod::grid;
  EXPECT_EQ(shapes(spec, 9, 4), (Shapes{{9, 4, 0, 4}}));
}

TEST(Halving, PromotesTheBetterHalfAndReusesSplits) {
  const TempDir dir;
  const SweepSpec spec = halving_sweep(Budget::splits);
  const SweepResult result = run_alone(spec, dir / "sweep");
  // 6 trials on 1 split, 3 on 2, 2 on 3: 6 + 3 + 2 runs.
  EXPECT_EQ(result.runs, 11);
  std::vector<int64_t> counts(3);
  for (const TrialResult& trial : result.trials) ++counts[trial.rung];
  EXPECT_EQ(counts, (std::vector<int64_t>{3, 1, 2}));
  // Against the full grid, whose first splits are the same runs.
  SweepSpec grid = spec;
  grid.method = SearchMethod::grid;
  grid.base.splits = "0";
  const std::vector<TrialResult> first =
      ranked(run_alone(grid, dir / "grid").trials);
  for (size_t rank = 0; rank < 6; ++rank) {
    const TrialResult& trial = result.trials[first[rank].number];
    EXPECT_EQ(trial.rung > 0, rank < 3) << rank;
  }
  const TrialResult& best = result.trials[*result.best];
  EXPECT_EQ(best.rung, 2);
  for (const TrialResult& trial : result.trials) {
    if (trial.rung < 2) continue;
    EXPECT_EQ(trial.runs, 3);
    EXPECT_LE(trial.objective(), best.objective());
  }
}

TEST(Halving, EpochsGrowFromRungToRung) {
  const TempDir dir;
  SweepSpec spec = halving_sweep(Budget::epochs);
  spec.base.splits = "0,1";
  spec.min_budget = 2;
  const SweepResult result = run_alone(spec, dir / "sweep");
  // 2, 4 and 8 epochs; nothing can be used again.
  EXPECT_EQ(result.runs, 2 * (6 + 3 + 2));
  int64_t full = 0;
  for (const LoggedRun& run : read_run_log(dir / "sweep/runs.jsonl")) {
    full += run.options.train.epochs == 8;
  }
  EXPECT_EQ(full, 4);
  EXPECT_EQ(result.best_options.train.epochs, 8);
}

TEST(Halving, GoesOnWhereItWasCut) {
  const TempDir dir;
  const SweepSpec spec = halving_sweep(Budget::splits);
  const SweepResult whole = run_alone(spec, dir / "sweep");
  const std::string best = core::read_file(dir / "sweep/best.json");
  const std::string log = core::read_file(dir / "sweep/runs.jsonl");
  for (const double share : {0.1, 0.5, 0.8}) {
    const auto cut =
        static_cast<size_t>(share * static_cast<double>(log.size()));
    write_text(dir / "sweep/runs.jsonl", log.substr(0, cut));
    const int64_t left = std::count(log.begin(), log.begin() + cut, '\n');
    const SweepResult again = run_alone(spec, dir / "sweep");
    EXPECT_EQ(again.skipped, left);
    EXPECT_EQ(again.runs, 11 - left);
    EXPECT_EQ(again.best, whole.best);
    EXPECT_EQ(core::read_file(dir / "sweep/best.json"), best);
  }
}

TEST(Halving, FailedTrialsDoNotClimb) {
  const TempDir dir;
  SweepSpec spec = halving_sweep(Budget::splits);
  spec.space = SearchSpace(Json::parse(R"({"chunk": [3, 4, 5, 6, 7, 9]})"));
  SweepHooks hooks;
  SweepProgress last;
  hooks.on_progress = [&](const SweepProgress& progress) { last = progress; };
  const SweepResult result = run_alone(spec, dir / "sweep", hooks);
  EXPECT_EQ(result.failed, 5);
  EXPECT_EQ(result.runs, 6 + 2);
  EXPECT_EQ(*result.best, 1u);
  EXPECT_EQ(last.runs_done, 8);
  EXPECT_EQ(last.runs_total, 8);
  EXPECT_EQ(last.runs_failed, 5);
}

TEST(Halving, TheBaseClimbsToTheEnd) {
  const TempDir dir;
  SweepSpec spec = halving_sweep(Budget::splits);
  spec.base.train.lr = 1e-9;  // learns nothing, so it is among the last
  spec.try_base = true;
  SweepHooks hooks;
  SweepProgress last;
  hooks.on_progress = [&](const SweepProgress& progress) { last = progress; };
  const SweepResult result = run_alone(spec, dir / "sweep", hooks);
  ASSERT_EQ(result.trials.size(), 7u);
  // 7 trials on 1 split, 1 + 3 on 2, 1 + 2 on 3.
  EXPECT_EQ(result.runs, 7 + 4 + 3);
  EXPECT_EQ(last.runs_total, 14);
  EXPECT_EQ(result.trials[0].rung, 2);
  EXPECT_EQ(result.trials[0].runs, 3);
  EXPECT_LT(result.trials[0].objective(),
            result.trials[*result.best].objective());
  EXPECT_NE(*result.best, 0u);
}

TEST(Halving, ABaseThatFailsDoesNotClimb) {
  const TempDir dir;
  SweepSpec spec = halving_sweep(Budget::splits);
  spec.space = SearchSpace(Json::parse(R"({"chunk": [4, 8]})"));
  spec.base.network.chunk = 3;
  spec.try_base = true;
  const SweepResult result = run_alone(spec, dir / "sweep");
  EXPECT_EQ(result.trials[0].failed, 1);
  EXPECT_EQ(result.trials[0].rung, 0);
  EXPECT_TRUE(result.best && *result.best > 0);
}

TEST(Halving, ProgressNeverRunsBackAndEndsAtTheTotal) {
  const TempDir dir;
  SweepHooks hooks;
  SweepProgress last;
  hooks.on_progress = [&](const SweepProgress& progress) {
    EXPECT_GE(progress.runs_done, last.runs_done);
    EXPECT_GE(progress.rung, last.rung);
    last = progress;
  };
  run_alone(halving_sweep(Budget::splits), dir / "sweep", hooks);
  EXPECT_EQ(last.runs_done, 11);
  EXPECT_EQ(last.runs_total, 11);
  EXPECT_EQ(last.rungs, 3);
  EXPECT_EQ(last.best->rung, 2);
  EXPECT_EQ(last.seconds_left, 0);
}

}  // namespace
}  // namespace ordered_gnn::lab
