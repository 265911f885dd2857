// Weights of edges on the command line: read, told, ignored and refused.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

// Two classes of twelve nodes, each node in a ring of its own class.
class EdgeWeightsCommand : public testing::Test {
 protected:
  void SetUp() override {
    write_folder("weighted", true);
    write_folder("plain", false);
  }

  void write_folder(const std::string& name, bool weighted) {
    std::string edges = weighted ? "source,target,weight\n" : "source,target\n";
    std::string labels = "node,label\n", features = "node,a,b\n";
    for (int v = 0; v < 24; ++v) {
      edges += std::to_string(v) + "," + std::to_string((v + 2) % 24);
      if (weighted) edges += "," + std::to_string(1 + v % 4) + ".5";
      edges += "\n";
      labels += std::to_string(v) + (v % 2 == 0 ? ",red\n" : ",blue\n");
      features += std::to_string(v) + "," + std::to_string(v % 2) + "," +
                  std::to_string(v % 5) + "\n";
    }
    std::filesystem::create_directories(dir_ / name);
    write_text(dir_ / name / "edges.csv", edges);
    write_text(dir_ / name / "labels.csv", labels);
    write_text(dir_ / name / "features.csv", features);
  }

  std::string path(const std::string& name) { return (dir_ / name).string(); }

  Outcome train(const std::string& data, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {
        "train",    "--data", path(data), "--split-set", "stratified:50/25/25",
        "--epochs", "3",      "--hidden", "8",           "--layers",
        "2"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_ognn(arguments);
  }

  Outcome predict(const std::string& data, std::vector<std::string> more = {}) {
    std::vector<std::string> arguments = {
        "predict",     "--checkpoint", path("run/split-0/model.safetensors"),
        "--data",      path(data),     "--out",
        path("p.csv"), "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_ognn(arguments);
  }

  TempDir dir_;
};

TEST_F(EdgeWeightsCommand, InfoSaysTheirRange) {
  const Outcome text = run_ognn({"data", "info", path("weighted")});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "edge weights         1.5 to 4.5, mean 3\n"));
  const Outcome json = run_ognn({"data", "info", path("weighted"), "--json"});
  const Json weights = Json::parse(json.out).at("edge_weights");
  EXPECT_EQ(weights, (Json{{"min", 1.5}, {"max", 4.5}, {"mean", 3.0}}));
  const Outcome none = run_ognn({"data", "info", path("plain")});
  EXPECT_TRUE(contains(none.out, "edge weights         none\n"));
  const Outcome null = run_ognn({"data", "info", path("plain"), "--json"});
  EXPECT_TRUE(Json::parse(null.out).at("edge_weights").is_null());
}

TEST_F(EdgeWeightsCommand, ConvertKeepsThem) {
  const Outcome npz =
      run_ognn({"data", "convert", path("weighted"), "--out", path("w.npz")});
  ASSERT_EQ(npz.status, 0) << npz.err;
  const Outcome info = run_ognn({"data", "info", path("w.npz")});
  EXPECT_TRUE(contains(info.out, "1.5 to 4.5"));
}

TEST_F(EdgeWeightsCommand, TrainSaysWhetherItReadsThem) {
  EXPECT_TRUE(contains(train("weighted").err, "(by default), weighted, "));
  const Outcome ignored = train("weighted", {"--edge-weights", "ignore"});
  EXPECT_EQ(ignored.status, 0) << ignored.err;
  EXPECT_TRUE(contains(ignored.err, "(by default), weights ignored, "));
  EXPECT_TRUE(contains(train("plain").err, "(by default), 24 self loops"));
  const Outcome mlp = train("weighted", {"--model", "mlp", "--quiet"});
  EXPECT_EQ(mlp.status, 0) << mlp.err;
  EXPECT_TRUE(contains(mlp.err,
                       "ognn: every edge of 'weighted' counts the same: mlp "
                       "reads no edge weights; ordered_gnn"));
  EXPECT_EQ(train("weighted", {"--quiet", "--direction", "as_stored"}).err, "");
  const Outcome wrong = train("weighted", {"--edge-weights", "some"});
  EXPECT_EQ(wrong.status, 2);
}

TEST_F(EdgeWeightsCommand, AModelTrainedWithThemAsksForThem) {
  ASSERT_EQ(train("weighted", {"--out", path("run")}).status, 0);
  EXPECT_EQ(predict("weighted").status, 0);
  const Outcome refused = predict("plain");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err,
                       "was trained with edge weights, but 'plain' has none"));
  const Outcome meant = predict("plain", {"--edge-weights", "ignore"});
  EXPECT_EQ(meant.status, 0) << meant.err;
  EXPECT_TRUE(contains(meant.err, "the model was trained with edge weights"));
}

TEST_F(EdgeWeightsCommand, AModelTrainedWithoutThemIgnoresThem) {
  ASSERT_EQ(train("plain", {"--out", path("run")}).status, 0);
  EXPECT_EQ(predict("plain", {"--quiet"}).err, "");
  const Outcome told = predict("weighted");
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(contains(told.err,
                       "every edge of 'weighted' counts the same: the model "
                       "was trained without edge weights"));
  const Outcome refused = predict("weighted", {"--edge-weights", "use"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "was trained without edge weights"));
}

TEST_F(EdgeWeightsCommand, ExplainReadsThem) {
  ASSERT_EQ(train("weighted", {"--out", path("run")}).status, 0);
  const Outcome node =
      run_ognn({"explain", "--checkpoint",
                path("run/split-0/model.safetensors"), "--node", "3"});
  EXPECT_EQ(node.status, 0) << node.err;
}

TEST_F(EdgeWeightsCommand, TypesOfEdgesAreRefused) {
  write_text(dir_ / "plain" / "edges.csv",
             "source,target,relation\n0,1,knows\n");
  const Outcome outcome = train("plain");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "edges.csv:1: column 'relation'"));
  EXPECT_TRUE(contains(outcome.err, "Train on one type at a time"));
}

}  // namespace
}  // namespace ordered_gnn
