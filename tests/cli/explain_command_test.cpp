#include <gtest/gtest.h>

#include <filesystem>

#include "core/affixes.h"
#include "core/io/file.h"
#include "ognn_process.h"
#include "ordered_gnn/core/options.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

class ExplainCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_ognn(tiny_train({"--out", path("run")})).status, 0);
    checkpoint_ = path("run/split-0/model.safetensors");
  }
  std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  Outcome explain(std::vector<std::string> more) const {
    std::vector<std::string> call = {"explain", "--checkpoint", checkpoint_};
    call.insert(call.end(), more.begin(), more.end());
    return run_ognn(call);
  }

  TempDir folder_;
  std::string checkpoint_;
};

TEST_F(ExplainCommand, PrintsASummary) {
  const Outcome outcome = explain({});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"ordered_gnn on csbm, split 0", "calibration error",
        "share of the neurons, %", "Dirichlet energy", "unusual shares"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part;
  }
}

TEST_F(ExplainCommand, WritesAPageAndReplacesOnlyItsOwn) {
  ASSERT_EQ(explain({"--out", path("a.html")}).status, 0);
  const std::string page = core::read_file(path("a.html"));
  EXPECT_TRUE(core::starts_with(page, "<!DOCTYPE html>"));
  EXPECT_TRUE(contains(page, "id=\"figure-curve-accuracy\""));
  EXPECT_TRUE(contains(page, "id=\"figure-gates\""));
  EXPECT_EQ(explain({"--out", path("a.html")}).status, 0);
  EXPECT_EQ(core::read_file(path("a.html")), page);
  write_text(path("mine.html"), "<p>mine</p>");
  const Outcome refused = explain({"--out", path("mine.html")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "not written by this program"));
  EXPECT_EQ(explain({"--out", path("mine.html"), "--force"}).status, 0);
}

TEST_F(ExplainCommand, ExplainsNodesAsTextAndJson) {
  const Outcome text = explain({"--node", "7", "--node", "0"});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* part : {"Node 7: predicted", "Node 0: predicted",
                           "Rooted tree to hop", "What each hop says",
                           "If messages stopped", "Neighbours whose removal"}) {
    EXPECT_TRUE(contains(text.out, part)) << part;
  }
  const Outcome outcome = explain({"--node", "7", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.at("nodes").size(), 1u);
  const Json& node = json.at("nodes")[0];
  EXPECT_EQ(node.at("node"), 7);
  double sum = 0;
  for (const Json& share : node.at("hop_shares")) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_EQ(json.at("parts").size(), 4u);
}

TEST_F(ExplainCommand, WritesPlotsAndNumbers) {
  const Outcome outcome = explain({"--plots", path("plots")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"gates", "hops", "confusion", "energy"}) {
    EXPECT_TRUE(std::filesystem::exists(path("plots/") + name + ".svg"));
    EXPECT_TRUE(std::filesystem::exists(path("plots/") + name + ".csv"));
  }
  write_text(path("file"), "x");
  const Outcome refused = explain({"--plots", path("file")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--plots takes a folder"));
}

TEST_F(ExplainCommand, WrongUsageSaysWhatWouldBeRight) {
  for (const char* const node : {"60", "abc", ""}) {
    const Outcome outcome = explain({"--node", node});
    EXPECT_EQ(outcome.status, 2) << node;
    EXPECT_TRUE(contains(outcome.err, "nodes 0 to 59")) << node;
  }
  const Outcome split = explain({"--split", "3"});
  EXPECT_EQ(split.status, 2);
  EXPECT_TRUE(contains(split.err, "there is no split 3"));
  EXPECT_EQ(run_ognn({"explain"}).status, 2);
  const Outcome option = explain({"--nodes", "1"});
  EXPECT_EQ(option.status, 2);
  EXPECT_TRUE(contains(option.err, "--node"));
}

TEST_F(ExplainCommand, BadFilesAreNamed) {
  const Outcome missing =
      run_ognn({"explain", "--checkpoint", path("none.safetensors")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "none.safetensors"));
  const Outcome other =
      explain({"--data", "synthetic:csbm?features=9", "--out", path("a.html")});
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.err, "trained on 8 features"));
  EXPECT_FALSE(std::filesystem::exists(path("a.html")));
  const Outcome folder = explain({"--out", path("no/such/a.html")});
  EXPECT_EQ(folder.status, 1);
  EXPECT_TRUE(contains(folder.err, "does not exist"));
  // Curves are an extra: a damaged file costs them alone.
  write_text(path("run/split-0/metrics.jsonl"), "{\n{\n{\n");
  ASSERT_EQ(explain({"--out", path("b.html")}).status, 0);
  EXPECT_EQ(core::read_file(path("b.html")).find("figure-curve"),
            std::string::npos);
}

TEST_F(ExplainCommand, WorksForModelsWithoutGates) {
  for (const char* const model : {"mlp", "gcn", "h2gcn"}) {
    const std::string run = path(model);
    ASSERT_EQ(run_ognn(tiny_train({"--model", model, "--out", run})).status, 0);
    const Outcome outcome =
        run_ognn({"explain", "--checkpoint", run + "/split-0/model.safetensors",
                  "--out", run + ".html", "--node", "3"});
    ASSERT_EQ(outcome.status, 0) << model << outcome.err;
    EXPECT_TRUE(
        contains(core::read_file(run + ".html"), "This model has no gates"));
  }
}

}  // namespace
}  // namespace ordered_gnn
