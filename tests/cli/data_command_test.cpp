#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/real_data.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST(DataList, NamesDatasetsAndGenerators) {
  const Outcome text = run_ognn({"data", "list"});
  EXPECT_EQ(text.status, 0);
  for (const char* name : {"texas", "wisconsin", "cornell", "cornell_fixed",
                           "actor", "chameleon", "squirrel", "csbm", "cora",
                           "citeseer", "pubmed", "ogbn-arxiv", "arxiv-year"}) {
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

TEST(DataGenerate, RefusesFlagsThatItWouldNotUse) {
  const TempDir dir;
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"data", "generate"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--out", (dir / "out").string()});
    const Outcome refused = run_ognn(words);
    EXPECT_EQ(refused.status, 2);
    return refused.err;
  };
  EXPECT_TRUE(contains(error({"customers", "--parts", "2"}), "--parts"));
  EXPECT_TRUE(contains(error({"customers", "--compress"}), "--compress"));
  EXPECT_TRUE(
      contains(error({"csbm", "--parts", "2", "--compress"}), "--compress"));
  EXPECT_TRUE(contains(error({"csbm", "--parts=-1"}), "expected 1 or more"));
  EXPECT_TRUE(
      contains(error({"csbm", "--parts", "100001"}), "1 to 100000 parts"));
  EXPECT_TRUE(dir.names().empty());
}

TEST(DataGenerate, RefusesPartsThatAreThereBeforeItDraws) {
  const TempDir dir;
  const auto make = [&](const char* spec) {
    return run_ognn({"data", "generate", spec, "--parts", "2", "--out",
                     (dir / "g.parts").string()});
  };
  ASSERT_EQ(make("csbm?nodes=50").status, 0);
  // Of this one nothing is drawn, which is seen when it is tried.
  const Outcome refused = make("csbm?nodes=50&sparse=true");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--force"));
}

class DataConvert : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const {
    return (dir_ / name).string();
  }
  static Json info(const std::string& data) {
    const Outcome outcome = run_ognn({"data", "info", data, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  static Outcome convert(const std::string& from, const std::string& to,
                         const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"data", "convert", from, "--out", to};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }
  TempDir dir_;
};

TEST_F(DataConvert, GoesThereAndBackWithoutLoss) {
  const std::string spec = "synthetic:csbm?nodes=70&classes=3&splits=2&seed=5";
  const Json want = info(spec);
  ASSERT_EQ(convert(spec, path("a.npz")).status, 0);
  ASSERT_EQ(convert(path("a.npz"), path("b")).status, 0);
  ASSERT_EQ(convert(path("b"), path("c.npz")).status, 0);
  for (const char* name : {"a.npz", "b", "c.npz"}) {
    const Json got = info(path(name));
    EXPECT_EQ(got.at("fingerprint"), want.at("fingerprint")) << name;
    EXPECT_EQ(got.at("name"), want.at("name")) << name;
    EXPECT_EQ(got.at("split_set"), want.at("split_set")) << name;
  }
  EXPECT_TRUE(std::filesystem::exists(dir_ / "b/edges.csv"));
  ASSERT_EQ(convert(spec, path("d.npz"), {"--compress"}).status, 0);
  EXPECT_EQ(info(path("d.npz")).at("fingerprint"), want.at("fingerprint"));
  EXPECT_LT(std::filesystem::file_size(dir_ / "d.npz"),
            std::filesystem::file_size(dir_ / "a.npz"));
}

TEST_F(DataConvert, SaysWhatItNeeds) {
  const std::string spec = "synthetic:csbm?nodes=50";
  EXPECT_EQ(run_ognn({"data", "convert", spec}).status, 2);
  EXPECT_TRUE(contains(run_ognn({"data", "convert", spec}).err, "--out"));
  const Outcome unclear = convert(spec, path("graph.txt"));
  EXPECT_EQ(unclear.status, 2);
  EXPECT_TRUE(contains(unclear.err, "--to"));
  const Outcome unknown = convert(spec, path("x.npz"), {"--to", "npx"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'npz'"));
}

TEST_F(DataConvert, LeavesWhatIsNotOursAlone) {
  const std::string spec = "synthetic:csbm?nodes=50";
  write_text(dir_ / "mine.npz", "precious");
  write_text(dir_ / "mine/notes.txt", "precious");
  EXPECT_EQ(convert(spec, path("mine.npz")).status, 1);
  EXPECT_EQ(convert(spec, path("mine")).status, 1);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "mine/notes.txt"));
  EXPECT_EQ(convert(spec, path("mine.npz"), {"--force"}).status, 0);
}

TEST_F(DataConvert, KeepsNodeAndClassNamesForPredictions) {
  write_text(dir_ / "g/edges.csv", "source,target\nana,bo\nbo,cy\ncy,di\n");
  write_text(dir_ / "g/labels.csv",
             "node,label\nana,cat\nbo,dog\ncy,cat\ndi,dog\n");
  write_text(dir_ / "g/features.csv",
             "node,f,g\nana,1,0.5\nbo,0.5,2\ncy,1,1\ndi,3,2\n");
  write_text(dir_ / "g/masks.csv",
             "node,split_0\nana,train\nbo,train\ncy,val\ndi,test\n");
  ASSERT_EQ(convert(path("g"), path("g.npz")).status, 0);
  const Outcome trained =
      run_ognn({"train", "--data", path("g.npz"), "--layers", "1", "--hidden",
                "8", "--epochs", "2", "--quiet", "--out", path("run")});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome predicted = run_ognn(
      {"predict", "--checkpoint", path("run/split-0/model.safetensors"),
       "--data", path("g"), "--out", path("p.csv"), "--quiet"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const std::string text = core::read_file(path("p.csv"));
  for (const char* name : {"ana", "bo", "cy", "di", "cat", "dog"}) {
    EXPECT_TRUE(contains(text, name)) << text;
  }
}

TEST(DataInfo, GivesThePublishedCountsOfTexas) {
  ORDERED_GNN_NEEDS_REAL_DATA();
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
