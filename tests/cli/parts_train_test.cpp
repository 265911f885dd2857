#include "cli/parts_train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/io/file.h"
#include "scale/engines/gloo.h"
#include "scale/engines/nccl.h"
#include "support/checksum_edits.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST_F(PartsTrain, ExplainsTheGraphAsOnTheGraphItself) {
  ASSERT_EQ(run_ognn(call("one", {})).status, 0);
  const std::string checkpoint = folder("one/split-0/model.safetensors");
  const auto explained = [&](const Words& more) {
    Words words = {"explain", "--checkpoint", checkpoint, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = run_ognn_anew(words);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  const std::string whole = explained({"--data", graph(), "--columns", "0"});
  EXPECT_EQ(explained({}), whole);
  EXPECT_EQ(explained({"--data", parts(), "--ranks", "2", "--engine", "local"}),
            whole);
  if (scale::has_gloo()) {
    EXPECT_EQ(explained({"--ranks", "3", "--engine", "gloo"}), whole);
  }
  const Outcome page =
      run_ognn({"explain", "--checkpoint", checkpoint, "--out",
                folder("page.html"), "--plots", folder("plots")});
  EXPECT_EQ(page.status, 0) << page.err;
  EXPECT_TRUE(contains(core::read_file(dir_ / "page.html"), "in parts"));
}

TEST_F(PartsTrain, ExplainsNoSingleNode) {
  ASSERT_EQ(run_ognn(call("one", {}, /*epochs=*/1)).status, 0);
  const std::string checkpoint = folder("one/split-0/model.safetensors");
  for (const Words& more : {Words{"--node", "3"}, Words{"--columns", "2"}}) {
    Words words = {"explain", "--checkpoint", checkpoint};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = run_ognn(words);
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(contains(run.err, "the data that the parts were made of"))
        << run.err;
  }
  const Outcome no_parts = run_ognn({"explain", "--checkpoint", checkpoint,
                                     "--data", graph(), "--ranks", "2"});
  EXPECT_EQ(no_parts.status, 2);
}

TEST_F(PartsTrain, WritesTheSameModelForAnyRanksAndEngine) {
  ASSERT_EQ(run_ognn(call("one", {})).status, 0);
  const std::string one = model("one");
  for (const char* ranks : {"2", "3", "4"}) {
    const std::string out = std::string("local") + ranks;
    const Outcome run =
        run_ognn(call(out, {"--ranks", ranks, "--engine", "local"}));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(model(out) == one) << ranks;
  }
  if (!scale::has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  for (const char* ranks : {"2", "4"}) {
    const std::string out = std::string("gloo") + ranks;
    const Outcome run =
        run_ognn_anew(call(out, {"--ranks", ranks, "--engine", "gloo"}));
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(model(out) == one) << ranks;
  }
}

// The lines of a CSV file but its first.
std::vector<std::string> csv_rows(const std::filesystem::path& file) {
  std::istringstream text(core::read_file(file));
  std::vector<std::string> rows;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) rows.push_back(line);
  return rows;
}

TEST_F(PartsTrain, PredictsAndEvaluatesAsOnTheWholeGraph) {
  ASSERT_EQ(run_ognn(call("run", {})).status, 0);
  const std::string checkpoint = folder("run/split-0/model.safetensors");
  const Outcome over_parts =
      run_ognn({"predict", "--checkpoint", checkpoint, "--ranks", "3",
                "--engine", "local", "--out", folder("preds"), "--columns",
                "known,part", "--quiet"});
  ASSERT_EQ(over_parts.status, 0) << over_parts.err;
  ASSERT_EQ(
      run_ognn({"predict", "--checkpoint", checkpoint, "--data", graph(),
                "--out", folder("whole.csv"), "--columns", "known", "--quiet"})
          .status,
      0);
  std::vector<std::string> rows;
  for (const char* part : {"0", "1", "2", "3"}) {
    for (const std::string& row :
         csv_rows(dir_ / "preds" / (std::string("part-000") + part + ".csv"))) {
      rows.push_back(row.substr(0, row.rfind(',')));  // without the part
    }
  }
  std::vector<std::string> expected = csv_rows(dir_ / "whole.csv");
  std::sort(rows.begin(), rows.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(rows, expected);

  const auto scores = [&](const Words& more) {
    Words words = {"evaluate", "--checkpoint", checkpoint, "--split",
                   "0",        "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = run_ognn(words);
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json parts = scores({"--ranks", "2", "--engine", "local"});
  const Json whole = scores({"--data", graph()});
  EXPECT_TRUE(parts.at("is_training_data").get<bool>());
  for (const char* name : {"train", "val", "test"}) {
    EXPECT_EQ(parts.at(name), whole.at(name)) << name;
  }
}

TEST_F(PartsTrain, PredictionsOverPartsSayWhatTheyDoNot) {
  ASSERT_EQ(run_ognn(call("run", {})).status, 0);
  const std::string checkpoint = folder("run/split-0/model.safetensors");
  const Outcome gates = run_ognn(
      {"predict", "--checkpoint", checkpoint, "--gates", folder("gates.npz")});
  EXPECT_EQ(gates.status, 2);
  EXPECT_TRUE(contains(gates.err, "over parts of a graph"));
  write_text(dir_ / "preds", "precious");
  const Outcome file = run_ognn(
      {"predict", "--checkpoint", checkpoint, "--out", folder("preds")});
  EXPECT_EQ(file.status, 1);
  EXPECT_TRUE(contains(file.err, "is no folder"));
}

TEST_F(PartsTrain, AnswersTellOnceOfACheckpointWithoutChecksum) {
  ASSERT_EQ(run_ognn(call("run", {}, /*epochs=*/1)).status, 0);
  const std::string checkpoint = folder("run/split-0/model.safetensors");
  const auto notes = [&](const char* engine) {
    const Outcome run =
        run_ognn_anew({"evaluate", "--checkpoint", checkpoint, "--split", "0",
                       "--json", "--ranks", "2", "--engine", engine});
    EXPECT_EQ(run.status, 0) << run.err;
    int count = 0;
    for (size_t at = 0; (at = run.err.find("no checksum", at)) != run.err.npos;
         ++at) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(notes("local"), 0);
  remove_checksum(checkpoint);
  EXPECT_EQ(notes("local"), 1);
  if (scale::has_gloo()) {
    EXPECT_EQ(notes("gloo"), 1);
  }
}

TEST_F(PartsTrain, AnswersSayWhatTheyAreGivenWrong) {
  ASSERT_EQ(run_ognn(call("run", {})).status, 0);
  const std::string checkpoint = folder("run/split-0/model.safetensors");
  const auto error = [&](const Words& more) {
    Words words = {"evaluate", "--checkpoint", checkpoint};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome run = run_ognn(words);
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err;
  };
  EXPECT_TRUE(contains(error({"--engine", "pigeon"}), "pigeon"));
  EXPECT_TRUE(contains(error({"--ranks", "-1"}), "--ranks -1"));
  EXPECT_TRUE(contains(error({"--engine", "local", "--interface", "eth0"}),
                       "--interface eth0"));
  EXPECT_TRUE(contains(error({"--data", graph(), "--interface", "eth0"}),
                       "ognn partition"));
}

TEST_F(PartsTrain, SaysWhatItIsGivenWrong) {
  const auto error = [&](const Words& more) {
    const Outcome run = run_ognn(call("", more));
    EXPECT_EQ(run.status, 2) << run.err;
    return run.err;
  };
  EXPECT_TRUE(contains(error({"--ranks", "5"}), "there are 4 parts"));
  EXPECT_TRUE(contains(error({"--engine", "pigeon"}), "pigeon"));
  EXPECT_TRUE(contains(error({"--engine", "nccl"}), "add --device cuda"));
  EXPECT_TRUE(contains(error({"--batch", "parts:5"}), "there are 4 parts"));
  EXPECT_TRUE(contains(error({"--batch", "parts:0"}), "parts:4"));
  EXPECT_TRUE(contains(
      error({"--batch", "parts:2", "--ranks", "2", "--engine", "local"}),
      "one rank"));
  EXPECT_TRUE(
      contains(error({"--batch", "parts:2", "--wire", "bf16"}), "--wire bf16"));
  EXPECT_TRUE(contains(error({"--model", "gat"}),
                       "gat does not run over parts of a graph"));
  EXPECT_TRUE(
      contains(error({"--self-loops", "remove"}), "does not fit the parts"));
  const Outcome whole =
      run_ognn({"train", "--data", "synthetic:csbm", "--ranks", "2"});
  EXPECT_EQ(whole.status, 2);
  EXPECT_TRUE(contains(whole.err, "ognn partition"));
  const Outcome batch =
      run_ognn({"train", "--data", "synthetic:csbm", "--batch", "parts:2"});
  EXPECT_EQ(batch.status, 2);
  EXPECT_TRUE(contains(batch.err, "ognn partition"));
}

TEST(VersionText, NamesTheEnginesBetweenRanks) {
  const Outcome version = run_ognn({"--version"});
  EXPECT_EQ(version.status, 0);
  std::string engines = "engines between ranks: local";
  if (scale::has_gloo()) engines += ", gloo";
  if (scale::has_nccl()) engines += ", nccl";
  EXPECT_TRUE(contains(version.out, engines + "\n")) << version.out;
}

TEST_F(PartsTrain, BatchesArePartOfARunAndNotOfItsModel) {
  const Outcome run = run_ognn(
      call("run", {"--batch", "parts:3", "--history", "off", "--json"}));
  ASSERT_EQ(run.status, 0) << run.err;
  const Json stored = Json::parse(core::read_file(dir_ / "run" / "run.json"));
  EXPECT_EQ(stored.at("config").at("batch"), "parts:3");
  EXPECT_EQ(stored.at("config").at("history"), "off");
  const Outcome other = run_ognn({"train", "--out", folder("run"), "--resume",
                                  "--batch", "parts:2", "--quiet"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "--batch parts:2 does not fit the run"));
  const Outcome scored = run_ognn(
      {"evaluate", "--checkpoint", folder("run") + "/split-0/model.safetensors",
       "--ranks", "2", "--engine", "local", "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
}

TEST_F(PartsTrain, NamesADamagedPartBeforeItTrains) {
  std::filesystem::resize_file(dir_ / "g.parts/part-0003/features.npy", 200);
  const Outcome run =
      run_ognn(call("run", {"--ranks", "2", "--engine", "local"}));
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "part-0003/features.npy"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "run" / "split-0"));
  if (!scale::has_gloo()) return;
  const Outcome processes =
      run_ognn_anew(call("run2", {"--ranks", "2", "--engine", "gloo"}));
  EXPECT_EQ(processes.status, 1);
  EXPECT_TRUE(contains(processes.err, "part-0003/features.npy"));
}

}  // namespace
}  // namespace ordered_gnn
