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

TEST_F(ExplainCommand, SaysWhichAttributesMattered) {
  const Outcome text = explain({"--node", "7"});
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* part :
       {"Which features mattered", "without it, points", "integrated gradients",
        "Other nodes whose features mattered most", ", then "}) {
    EXPECT_TRUE(contains(text.out, part)) << part;
  }
  const Outcome outcome = explain({"--node", "7", "--json"});
  const Json attribution =
      Json::parse(outcome.out).at("nodes")[0].at("attribution");
  double sum = attribution.at("baseline_log_odds").get<double>() -
               attribution.at("residual").get<double>();
  for (const Json& one : attribution.at("attributes")) {
    sum += one.at("own").get<double>() + one.at("others").get<double>();
  }
  EXPECT_NEAR(sum, attribution.at("log_odds").get<double>(), 1e-6);
}

TEST_F(ExplainCommand, SaysWhichFeaturesMatterOnTheGraph) {
  const Outcome summary = explain({});
  EXPECT_TRUE(contains(summary.out, "shuffled over all nodes"));
  EXPECT_TRUE(contains(summary.out, "feature 0"));
  const Outcome json = explain({"--json", "--columns", "3"});
  ASSERT_EQ(json.status, 0) << json.err;
  const Json importance = Json::parse(json.out).at("importance");
  EXPECT_EQ(importance.at("attributes").size(), 3u);
  EXPECT_EQ(importance.at("num_attributes"), 8);
  EXPECT_EQ(importance.at("part"), "test");
  const Outcome none = explain({"--json", "--columns", "0"});
  EXPECT_FALSE(Json::parse(none.out).contains("importance"));
  EXPECT_EQ(explain({"--columns", "-1"}).status, 2);
}

// Six customers whose names are words or numbers of others.
void write_customers(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_text(folder / "edges.csv",
             "source,target\nann,bob\nbob,ann\n3,eve\neve,3\n"
             "joe,sue\nsue,joe\nann,3\n");
  write_text(folder / "features.csv",
             "node,age,visits\nann,1,0.5\nbob,2,0.25\n3,3,0.5\n"
             "eve,4,1\njoe,5,1\nsue,6,1\n");
  write_text(folder / "labels.csv",
             "node,label\nann,stays\nbob,leaves\n3,stays\neve,leaves\n"
             "joe,stays\nsue,leaves\n");
  write_text(folder / "masks.csv",
             "node,split_0\nann,train\nbob,train\n3,val\neve,val\n"
             "joe,test\nsue,test\n");
}

TEST(ExplainNames, AreThoseOfTheUsersFiles) {
  const TempDir folder;
  const std::string data = (folder / "data").string();
  write_customers(folder / "data");
  ASSERT_EQ(
      run_ognn({"train", "--data", data, "--layers", "2", "--hidden", "8",
                "--epochs", "3", "--quiet", "--out", (folder / "run").string()})
          .status,
      0);
  const auto explain = [&](std::vector<std::string> more) {
    std::vector<std::string> call = {
        "explain", "--checkpoint",
        (folder / "run" / "split-0" / "model.safetensors").string()};
    call.insert(call.end(), more.begin(), more.end());
    return run_ognn(call);
  };
  const Outcome ann = explain({"--node", "ann"});
  ASSERT_EQ(ann.status, 0) << ann.err;
  EXPECT_TRUE(contains(ann.out, "Node ann: predicted "));
  EXPECT_TRUE(contains(ann.out, "label stays"));
  EXPECT_TRUE(contains(ann.out, "\nbob "));
  EXPECT_EQ(ann.err, "");
  // "3" is the name of node 2; node 3 is eve.
  const Outcome name = explain({"--node", "3"});
  EXPECT_TRUE(contains(name.out, "Node 3: predicted "));
  EXPECT_TRUE(contains(name.err, "taken as the name of a node"));
  EXPECT_TRUE(contains(name.err, "'eve'; that is number:3"));
  const Outcome number = explain({"--node", "number:3"});
  EXPECT_TRUE(contains(number.out, "Node eve: predicted "));
  const Outcome other = explain({"--node", "5"});
  EXPECT_TRUE(contains(other.out, "Node sue: predicted "));
  EXPECT_TRUE(contains(other.err, "taken as the number of node 'sue'"));
  for (const char* const word : {"bop", "number:6", "9"}) {
    const Outcome wrong = explain({"--node", word});
    EXPECT_EQ(wrong.status, 2) << word;
    EXPECT_TRUE(contains(wrong.err, "has nodes 0 to 5")) << word;
  }
  EXPECT_TRUE(contains(explain({"--node", "bop"}).err, "did you mean 'bob'?"));
}

TEST_F(ExplainCommand, WritesPlotsAndNumbers) {
  const Outcome outcome = explain({"--plots", path("plots")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name :
       {"gates", "hops", "confusion", "energy", "column-importance"}) {
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
