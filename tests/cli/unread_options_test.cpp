// Options that the chosen model does not read are told, and do no harm.
#include <gtest/gtest.h>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

std::string told(std::vector<std::string> options) {
  options.insert(options.begin(), "train");
  options.emplace_back("--print-config");
  const Outcome outcome = run_ognn(options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.err;
}

TEST(UnreadOptionsOfTrain, AreToldWithWhatTheModelReads) {
  EXPECT_EQ(told({"--model", "gcn", "--heads", "4", "--residual"}),
            "ognn: gcn does not read --residual and --heads; it reads "
            "--layers, --hidden, --dropout-theta, --l2-theta and --l2-xi\n");
  EXPECT_EQ(told({"--model", "gated_gnn", "--gating", "softor"}),
            "ognn: gated_gnn does not read --gating, which always is simple "
            "there; ordered_gnn does\n");
  EXPECT_EQ(told({"--cs-alpha1", "0.5"}),
            "ognn: without --correct-smooth there is no use for --cs-alpha1\n");
}

TEST(UnreadOptionsOfTrain, AreThoseOfTheCommandLineAlone) {
  const TempDir dir;
  write_text(dir / "r.json", R"({"model": "gcn", "heads": 4})");
  const std::string recipe = (dir / "r.json").string();
  EXPECT_EQ(told({"--config", recipe, "--hidden", "32", "--lr", "0.1"}), "");
  EXPECT_TRUE(contains(told({"--config", recipe, "--hops", "3"}),
                       "gcn does not read --hops"));
}

TEST(UnreadOptionsOfTrain, AreToldToTheQuietToo) {
  const Outcome outcome =
      run_ognn(tiny_train({"--model", "gcn", "--chunk", "7"}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "gcn does not read --chunk"));
}

TEST(UnreadOptionsOfSweep, AreThoseThatNoTrialReads) {
  const TempDir dir;
  const std::string file = (dir / "s.json").string();
  const auto err_of = [&](const std::string& sweep) {
    write_text(file, sweep);
    const Outcome outcome =
        run_ognn({"sweep", "--config", file, "--data", "synthetic:csbm",
                  "--heads", "2", "--dry-run"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(
      err_of(R"({"fixed": {"model": "gcn"}, "search": {"lr": [0.1, 0.2]}})"),
      "gcn does not read --heads"));
  EXPECT_EQ(err_of(R"({"search": {"model": ["gcn", "gat"]}})"), "");
}

TEST(Messages, AreInWholeNumbersAndForgiveCase) {
  const Outcome range = run_ognn({"train", "--hidden", "0"});
  EXPECT_EQ(range.status, 2);
  EXPECT_TRUE(contains(range.err, "an integer from 1 to 1048576"));
  const Outcome upper = run_ognn({"train", "--model", "GCN"});
  EXPECT_EQ(upper.status, 2);
  EXPECT_TRUE(contains(upper.err, "did you mean 'gcn'?"));
}

}  // namespace
}  // namespace ordered_gnn
