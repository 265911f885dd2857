#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

const char* const kGraph = "synthetic:csbm?nodes=120&classes=3&seed=2";

TEST(PartitionCommand, WritesPartsAndPredictsWhatTheyCost) {
  const TempDir dir;
  const std::string out = (dir / "g.parts").string();
  const Outcome made =
      run_ognn({"partition", kGraph, "--parts", "4", "--method", "stream",
                "--out", out, "--ranks", "2", "--layers", "3", "--hidden", "16",
                "--eval-every", "5", "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const Json json = Json::parse(made.out);
  EXPECT_EQ(json.at("parts"), 4);
  EXPECT_EQ(json.at("num_nodes"), 120);
  EXPECT_DOUBLE_EQ(json.at("halo_ratio").get<double>(),
                   json.at("halo_rows").get<double>() / 120);
  EXPECT_EQ(json.at("eval_bytes").get<int64_t>(),
            json.at("rank_halo_rows").get<int64_t>() * 3 * 16 * 4);
  EXPECT_EQ(json.at("bytes_per_epoch").get<int64_t>(),
            json.at("eval_bytes").get<int64_t>() / 5 +
                json.at("train_bytes").get<int64_t>());
  EXPECT_GT(json.at("memory_per_rank").get<int64_t>(), 0);

  const Outcome info = run_ognn({"data", "info", out, "--json"});
  ASSERT_EQ(info.status, 0) << info.err;
  const Json said = Json::parse(info.out);
  EXPECT_EQ(said.at("fingerprint"), json.at("fingerprint"));
  EXPECT_EQ(said.at("halo_rows"), json.at("halo_rows"));
  EXPECT_EQ(said.at("parts").size(), 4U);
  EXPECT_TRUE(contains(run_ognn({"data", "info", out}).out,
                       "all as they were written"));
}

// A folder that is read piece by piece gives what the graph in memory does.
TEST(PartitionCommand, StreamsAFolderToTheSameParts) {
  const TempDir dir;
  const auto path = [&](const char* name) { return (dir / name).string(); };
  ASSERT_EQ(run_ognn({"data", "generate", "csbm?nodes=200&seed=4&splits=2",
                      "--out", path("g.npz")})
                .status,
            0);
  ASSERT_EQ(
      run_ognn({"data", "convert", path("g.npz"), "--out", path("g")}).status,
      0);
  const auto cut = [&](const std::string& data) {
    const Outcome made = run_ognn(
        {"partition", data, "--parts", "5", "--method", "stream", "--ranks",
         "2", "--out", path("g.parts"), "--force", "--json"});
    EXPECT_EQ(made.status, 0) << made.err;
    Json json = Json::parse(made.out);
    json.erase("fingerprint");  // columns have names in one of them
    return json;
  };
  EXPECT_EQ(cut(path("g")), cut(path("g.npz")));
  const std::vector<std::string> words = {
      "partition", path("g.npz"), "--parts",       "2",      "--method",
      "stream",    "--out",       path("g.parts"), "--force"};
  EXPECT_TRUE(contains(run_ognn(words).err, "in memory while it is cut: npz"));
}

TEST(PartitionCommand, PrintsTheHaloAndWhatIsPredicted) {
  const TempDir dir;
  const Outcome made = run_ognn({"partition", kGraph, "--parts", "2", "--out",
                                 (dir / "g.parts").string()});
  ASSERT_EQ(made.status, 0) << made.err;
  for (const char* part : {"halo ratio H/N", "on the wire per epoch",
                           "memory of the largest", "predicted for 2 ranks"}) {
    EXPECT_TRUE(contains(made.out, part));
  }
}

TEST(PartitionCommand, RefusesWhatCannotBe) {
  const TempDir dir;
  const std::string out = (dir / "g.parts").string();
  const auto run = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"partition", kGraph};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  };
  EXPECT_EQ(run({"--out", out}).status, 2);
  EXPECT_EQ(run({"--parts", "2"}).status, 2);
  EXPECT_EQ(run({"--parts", "121", "--out", out}).status, 2);
  EXPECT_EQ(run({"--parts", "2", "--ranks", "3", "--out", out}).status, 2);
  const Outcome no_file =
      run({"--parts", "2", "--method", "nowhere.txt", "--out", out});
  EXPECT_EQ(no_file.status, 1);
  EXPECT_TRUE(contains(no_file.err, "nowhere.txt"));
  EXPECT_FALSE(std::filesystem::exists(out));
  ASSERT_EQ(run({"--parts", "2", "--out", out}).status, 0);
  const Outcome again = run({"--parts", "3", "--out", out});
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(contains(again.err, "--force"));
  EXPECT_EQ(run({"--parts", "3", "--out", out, "--force"}).status, 0);
}

TEST(PartitionCommand, RefusesBeforeItReads) {
  const TempDir dir;
  const std::string out = (dir / "g.parts").string();
  ASSERT_EQ(
      run_ognn({"partition", kGraph, "--parts", "2", "--out", out}).status, 0);
  // Were it looked for, this graph would be missed.
  for (const char* method : {"stream", "somewhere.txt"}) {
    const auto refused = [&](const char* parts) {
      return run_ognn({"partition", (dir / "none.npz").string(), "--method",
                       method, "--parts", parts, "--out", out});
    };
    const Outcome there = refused("2");
    EXPECT_EQ(there.status, 1);
    EXPECT_TRUE(contains(there.err, "--force"));
    const Outcome many = refused("100001");
    EXPECT_EQ(many.status, 2);
    EXPECT_TRUE(contains(many.err, "1 to 100000 parts"));
  }
}

TEST(PartitionCommand, OtherCommandsSayWhatAFolderOfPartsIs) {
  const TempDir dir;
  const std::string out = (dir / "g.parts").string();
  ASSERT_EQ(
      run_ognn({"partition", kGraph, "--parts", "2", "--out", out}).status, 0);
  const Outcome refused =
      run_ognn({"data", "convert", out, "--out", (dir / "g.npz").string()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "is a folder of parts"));
  std::filesystem::remove(dir / "g.parts/part-0001/labels.npy");
  const Outcome missing = run_ognn({"data", "info", out});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "part-0001/labels.npy"));
}

}  // namespace
}  // namespace ordered_gnn
