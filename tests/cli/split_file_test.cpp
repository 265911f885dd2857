// Splits of a file of their own, in training, going on and scoring.
#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/unsplit_data.h"
#include "core/io/file.h"
#include "core/io/npy/npz.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class SplitFileOfACommand : public UnsplitData {
 protected:
  void SetUp() override {
    UnsplitData::SetUp();
    write_ids(file_, 0);
  }

  // 30 nodes to train on from node `first`, then 30 of each other part.
  static void write_ids(const std::string& file, int64_t first) {
    const at::Tensor nodes = (at::arange(90, at::kLong) + first).remainder(90);
    core::NpzWriter archive(file);
    archive.add("train", nodes.narrow(0, 0, 30));
    archive.add("valid", nodes.narrow(0, 30, 30));
    archive.add("test", nodes.narrow(0, 60, 30));
    archive.finish();
  }

  std::string file_ = (dir_ / "s.npz").string();
};

TEST_F(SplitFileOfACommand, IsShownAndUsedByEveryCommand) {
  const Outcome info = run_ognn({"data", "info", data_, "--split-file", file_});
  ASSERT_EQ(info.status, 0) << info.err;
  EXPECT_TRUE(contains(info.out, "1 (split file " + file_ + ")")) << info.out;
  const Outcome trained = train({"--split-file", file_, "--out", path("run")});
  ASSERT_EQ(trained.status, 0) << trained.err;
  EXPECT_TRUE(contains(trained.err, "1 splits (split file " + file_ + ")"));
  const Json result =
      Json::parse(core::read_file(dir_ / "run/split-0/result.json"));
  const std::string checkpoint = path("run/split-0/model.safetensors");
  const Outcome scored =
      run_ognn({"evaluate", "--checkpoint", checkpoint, "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_EQ(Json::parse(scored.out).at("test_accuracy"),
            result.at("test_accuracy"));
  // Other splits take its place.
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--split-set", "stratified:60/20/20x1"},
        std::vector<std::string>{"--data", data_, "--split-set",
                                 "stratified:60/20/20x1"}}) {
    std::vector<std::string> words = {"evaluate", "--checkpoint", checkpoint};
    words.insert(words.end(), other.begin(), other.end());
    const Outcome others = run_ognn(words);
    EXPECT_EQ(others.status, 0) << others.err;
  }
}

TEST_F(SplitFileOfACommand, AnotherOneIsNoWayToGoOn) {
  const std::vector<std::string> begin = {"--split-file", file_, "--out",
                                          path("run")};
  ASSERT_EQ(train(begin).status, 0);
  EXPECT_EQ(run_ognn({"train", "--out", path("run"), "--resume"}).status, 0);
  std::vector<std::string> again = begin;
  again.emplace_back("--resume");
  EXPECT_EQ(train(again).status, 0);
  // The same splits elsewhere are the same; others in its place are not.
  std::filesystem::rename(file_, dir_ / "moved.npz");
  again[1] = path("moved.npz");
  const Outcome moved = train(again);
  EXPECT_EQ(moved.status, 0) << moved.err;
  write_ids(file_, 7);
  again[1] = file_;
  const Outcome other = train(again);
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(contains(other.err, "the data or its splits")) << other.err;
  EXPECT_TRUE(contains(other.err, "another --out"));
}

TEST_F(SplitFileOfACommand, MistakesSayWhatToDo) {
  const Outcome both =
      train({"--split-file", file_, "--split-set", "random:60/20/20"});
  EXPECT_EQ(both.status, 2);
  EXPECT_TRUE(contains(both.err, "leave one of them out")) << both.err;
  const Outcome none = train({"--split-file", path("no.npz")});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "there is no such split file")) << none.err;
  const Outcome others = run_ognn({"train", "--data", "synthetic:csbm?nodes=50",
                                   "--split-file", file_, "--epochs", "2"});
  EXPECT_EQ(others.status, 1);
  EXPECT_TRUE(contains(others.err, "names node 50; nodes are 0 to 49"));
  EXPECT_TRUE(contains(others.err, "A split file is for the 50 nodes of"));
}

TEST_F(SplitFileOfACommand, TakesThePlaceOfTheSplitSetOfARecipe) {
  write_text(dir_ / "r.json", R"({"split-set": "random:50/25/25x3"})");
  const Outcome outcome = train(
      {"--config", path("r.json"), "--split-file", file_, "--json", "--quiet"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("runs").size(), 1u);
  const Outcome compared =
      run_ognn({"compare", "--data", data_, "--models", "mlp,gcn", "--trials",
                "0", "--epochs", "4", "--split-file", file_, "--out",
                path("compared"), "--threads", "1"});
  EXPECT_EQ(compared.status, 0) << compared.err;
}

}  // namespace
}  // namespace ordered_gnn
