// What the commands make of checkpoints and run folders that are damaged, or
// state what cannot be.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "support/checksum_edits.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class DamagedCheckpoint : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_ognn(tiny_train({"--out", path("run")})).status, 0);
    good_ = core::read_safetensors(file_);
  }

  std::string path(const char* name) { return (dir_ / name).string(); }

  // Writes the checkpoint again after a change of what the training left.
  template <typename Change>
  void rewrite(Change change) {
    core::TensorFile content = good_;
    change(content);
    core::write_safetensors(file_, content);
  }

  void set_split(const Json& split) {
    rewrite([&](core::TensorFile& content) {
      Json result = Json::parse(content.metadata.at("result"));
      result["split"] = split;
      content.metadata["result"] = result.dump();
    });
  }

  // A command on the checkpoint.
  Outcome use(const std::string& command, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {command, "--checkpoint", file_};
    if (command == "predict") {
      words.insert(words.end(), {"--out", path("pred.csv"), "--force"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }

  const std::vector<std::string> commands_ = {"evaluate", "predict", "explain"};
  TempDir dir_;
  const std::string file_ = path("run/split-0/model.safetensors");
  core::TensorFile good_;
};

TEST_F(DamagedCheckpoint, ASplitThatCannotBeIsRefused) {
  for (const Json& split : {Json(-1), Json(1e300), Json(uint64_t{1} << 63)}) {
    set_split(split);
    for (const std::string& command : commands_) {
      const Outcome outcome = use(command);
      EXPECT_EQ(outcome.status, 1) << command << outcome.out;
      EXPECT_TRUE(contains(outcome.err, file_ + ": metadata 'result': 'split'"))
          << command;
    }
  }
}

TEST_F(DamagedCheckpoint, ASplitThatTheDataDoesNotHaveIsNeverReadOf) {
  for (const int64_t split : {int64_t{3}, int64_t{2147483648}}) {
    set_split(split);
    const std::string none = fmt::format("there is no split {}", split);
    const Outcome scored = use("evaluate");
    EXPECT_EQ(scored.status, 2) << scored.out;
    EXPECT_TRUE(contains(scored.err, none));
    EXPECT_EQ(use("evaluate", {"--split", "0"}).status, 0);
    EXPECT_EQ(use("evaluate", {"--on", "labelled"}).status, 0);
    const Outcome calibrated = use("predict", {"--calibrate"});
    EXPECT_EQ(calibrated.status, 1);
    EXPECT_TRUE(contains(calibrated.err, fmt::format("split {} ", split)));
    const Outcome smoothed = use("predict", {"--correct-smooth"});
    EXPECT_EQ(smoothed.status, 1);
    EXPECT_TRUE(contains(smoothed.err, fmt::format("no split {}", split)));
    const Outcome parts = use("predict", {"--columns", "part"});
    EXPECT_EQ(parts.status, 0) << parts.err;
    EXPECT_TRUE(contains(parts.err, "the column 'part' is left empty"));
    EXPECT_EQ(use("explain").status, 0);
  }
}

TEST_F(DamagedCheckpoint, WeightsThatAreNoNumbersAreRefusedByEveryCommand) {
  rewrite([](core::TensorFile& content) {
    content.tensors.at("output.bias")[0] = NAN;
  });
  for (const std::string& command : commands_) {
    const Outcome outcome = use(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_TRUE(contains(outcome.err, file_ + ": tensor 'output.bias'"));
  }
  const Outcome resumed =
      run_ognn(tiny_train({"--out", path("run"), "--resume"}));
  EXPECT_EQ(resumed.status, 1);
  EXPECT_TRUE(contains(resumed.err, "tensor 'output.bias' holds a NaN"));
}

TEST_F(DamagedCheckpoint, AFlippedBitIsSeenByEveryCommand) {
  std::string bytes = core::read_file(file_);
  bytes[bytes.size() - 5] ^= 1;
  write_text(file_, bytes);
  for (const std::string& command : commands_) {
    const Outcome outcome = use(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_TRUE(contains(outcome.err, file_ + ": is damaged"));
  }
}

TEST_F(DamagedCheckpoint, OneWithoutChecksumIsUsedWithANote) {
  const std::string note = "model.safetensors has no checksum";
  for (const std::string& command : commands_) {
    EXPECT_FALSE(contains(use(command).err, note)) << command;
  }
  remove_checksum(file_);
  for (const std::string& command : commands_) {
    const Outcome outcome = use(command);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, note)) << command;
  }
  const Outcome resumed =
      run_ognn(tiny_train({"--out", path("run"), "--resume"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, note));
}

TEST_F(DamagedCheckpoint, ALineOfMetricsDoesNotBlockAFinishedRun) {
  const std::string metrics = path("run/split-0/metrics.jsonl");
  std::string text = core::read_file(metrics);
  text[text.find('\n') + 3] = '\x07';
  write_text(metrics, text);
  const Outcome resumed =
      run_ognn(tiny_train({"--out", path("run"), "--resume"}));
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_TRUE(contains(resumed.err, "left out: " + metrics + ":2: "));
  const std::string curves = core::read_file(path("run/split-0/curves.csv"));
  EXPECT_EQ(std::count(curves.begin(), curves.end(), '\n'), 4);
  EXPECT_EQ(run_ognn({"report", path("run")}).status, 0);
  EXPECT_TRUE(contains(core::read_file(path("run/report.html")),
                       "metrics.jsonl:2: expected"));
}

}  // namespace
}  // namespace ordered_gnn
