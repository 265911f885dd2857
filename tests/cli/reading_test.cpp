// How train says that it read a graph, and what it advises.
#include <gtest/gtest.h>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// A ring of twelve nodes in a CSV folder, every edge stored once or both ways.
class ReadGraph : public testing::Test {
 protected:
  std::string folder(bool both_ways) {
    std::string edges = "source,target\n", labels = "node,label\n",
                features = "node,f,g\n";
    for (int v = 0; v < 12; ++v) {
      const std::string a = std::to_string(v), b = std::to_string((v + 1) % 12);
      edges += a + "," + b + "\n";
      if (both_ways) edges += b + "," + a + "\n";
      labels += a + "," + std::to_string(v % 2) + "\n";
      features += a + "," + std::to_string(v % 2) + ",1\n";
    }
    const auto path = dir_ / (both_ways ? "both" : "once");
    write_text(path / "edges.csv", edges);
    write_text(path / "labels.csv", labels);
    write_text(path / "features.csv", features);
    return path.string();
  }

  // What train says on standard error.
  static std::string said(const std::string& data,
                          std::vector<std::string> more = {}) {
    std::vector<std::string> call = {
        "train",    "--data", data,       "--split-set", "random:50/25/25",
        "--layers", "1",      "--hidden", "8",           "--epochs",
        "2"};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome outcome = run_ognn(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  }

  TempDir dir_;
};

constexpr const char* kAdvice = "try --direction undirected";

TEST_F(ReadGraph, OneLineSaysHowAndWhatToTry) {
  const std::string text = said(folder(false));
  EXPECT_TRUE(contains(text,
                       "once: 12 nodes, 12 edges read as directed as stored "
                       "(by default), 12 self loops (add), 2 features "
                       "(raw), 2 classes, 10 splits"))
      << text;
  EXPECT_TRUE(contains(text, "0.0 % of the edges have their reverse")) << text;
  EXPECT_TRUE(contains(text, kAdvice));
}

TEST_F(ReadGraph, WhoHasSaidItIsNotAdvised) {
  const std::string undirected =
      said(folder(false), {"--direction", "undirected"});
  EXPECT_TRUE(contains(undirected,
                       "24 edges read as undirected (as --direction says)"));
  EXPECT_FALSE(contains(undirected, kAdvice));
  EXPECT_FALSE(
      contains(said(folder(false), {"--direction", "as_stored"}), kAdvice));
  EXPECT_FALSE(contains(said(folder(true)), kAdvice));
}

TEST_F(ReadGraph, WhatAFileOfOursSaysIsNotAdvisedOn) {
  const auto file = (dir_ / "g.npz").string();
  ASSERT_EQ(
      run_ognn({"data", "generate", "csbm?nodes=60", "--out", file, "--quiet"})
          .status,
      0);
  const std::string text = said(file, {"--quiet"});
  EXPECT_EQ(text, "");
}

TEST_F(ReadGraph, InfoShowsTheShareOfEdgesWithAReverse) {
  const Outcome once = run_ognn({"data", "info", folder(false)});
  EXPECT_TRUE(contains(once.out, "0 % of the edges have their reverse"))
      << once.out;
  const Outcome both = run_ognn({"data", "info", folder(true), "--json"});
  EXPECT_TRUE(contains(both.out, "\"reciprocal_share\": 1.0")) << both.out;
}

TEST_F(ReadGraph, OneRunHasNoDeviationAndTheTableNamesItsMetric) {
  const Outcome outcome =
      run_ognn({"train", "--data", folder(true), "--split-set",
                "random:50/25/25", "--layers", "1", "--hidden", "8", "--epochs",
                "2", "--metric", "macro_f1", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "test macro_f1, %")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "(1 run)")) << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "±")) << outcome.out;
}

}  // namespace
}  // namespace ordered_gnn
