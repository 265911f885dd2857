#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST(DataList, NamesDatasetsAndGenerators) {
  const Outcome text = run_ognn({"data", "list"});
  EXPECT_EQ(text.status, 0);
  for (const char* name : {"texas", "wisconsin", "cornell", "cornell_fixed",
                           "actor", "chameleon", "squirrel", "csbm"}) {
    EXPECT_TRUE(contains(text.out, name)) << name;
  }
  const Json list = Json::parse(run_ognn({"data", "list", "--json"}).out);
  EXPECT_TRUE(list.is_array());
}

TEST(DataInfo, HasTheKeysOthersRelyOn) {
  const Outcome outcome = run_ognn(
      {"data", "info", "synthetic:csbm?nodes=100&classes=3", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  for (const char* key : {"name", "num_nodes", "num_edges", "num_self_loops",
                          "num_duplicates", "num_features", "num_classes",
                          "num_splits", "edge_homophily", "isolated_nodes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json.at("num_nodes"), 100);
}

TEST(DataGenerate, WritesAFileThatTrainsLikeItsSpec) {
  const TempDir dir;
  const std::string file = (dir / "g.npz").string();
  const std::string spec = "csbm?nodes=80&classes=3&features=6&splits=2&seed=4";
  ASSERT_EQ(run_ognn({"data", "generate", spec, "--out", file}).status, 0);
  const auto accuracy = [](const std::string& data) {
    const Outcome outcome =
        run_ognn({"train", "--data", data, "--layers", "2", "--hidden", "16",
                  "--epochs", "5", "--json", "--quiet"});
    return Json::parse(outcome.out).at("runs")[0].at("val_accuracy");
  };
  EXPECT_EQ(accuracy(file), accuracy("synthetic:" + spec));
}

TEST(DataGenerate, DoesNotReplaceAFileThatIsNotOurs) {
  const TempDir dir;
  const std::string file = (dir / "g.npz").string();
  write_text(file, "precious");
  const Outcome refused =
      run_ognn({"data", "generate", "csbm?nodes=50", "--out", file});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--force"));
  EXPECT_EQ(
      run_ognn({"data", "generate", "csbm?nodes=50", "--out", file, "--force"})
          .status,
      0);
}

TEST(DataInfo, GivesThePublishedCountsOfTexas) {
  if (std::getenv("OGNN_DATA") == nullptr) {
    GTEST_SKIP() << "OGNN_DATA is not set: the real data is not here";
  }
  const Json json =
      Json::parse(run_ognn({"data", "info", "texas", "--json"}).out);
  EXPECT_EQ(json.at("num_nodes"), 183);
  EXPECT_EQ(json.at("num_edges"), 309);
  EXPECT_EQ(json.at("num_self_loops"), 16);
  EXPECT_EQ(json.at("num_features"), 1703);
  EXPECT_EQ(json.at("num_splits"), 10);
}

}  // namespace
}  // namespace ordered_gnn
