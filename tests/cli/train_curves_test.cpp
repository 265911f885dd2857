#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/ognn_process.h"
#include "core/affixes.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/event_reader.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using event_reader::ScalarEvent;

class TrainCurves : public testing::Test {
 protected:
  Outcome train(std::vector<std::string> more) {
    more.insert(more.end(), {"--tensorboard", (dir_ / "logs").string(), "--out",
                             (dir_ / "run").string()});
    return run_ognn(tiny_train(more));
  }

  std::vector<std::filesystem::path> event_files(int split) {
    const auto folder = dir_ / "logs" / ("csbm-split-" + std::to_string(split));
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      files.push_back(entry.path());
    }
    return files;
  }

  // The lines of metrics.jsonl, one per epoch.
  std::vector<nlohmann::json> metrics(int split) {
    std::istringstream text(core::read_file(
        dir_ / "run" / ("split-" + std::to_string(split)) / "metrics.jsonl"));
    std::vector<nlohmann::json> lines;
    for (std::string line; std::getline(text, line);) {
      lines.push_back(nlohmann::json::parse(line));
    }
    return lines;
  }

  TempDir dir_;
};

void expect_same(const ScalarEvent& event, const nlohmann::json& line) {
  EXPECT_EQ(event.step, line.at("epoch").get<int64_t>());
  const std::vector<std::pair<const char*, const char*>> names = {
      {"loss", "loss"},
      {"lr", "lr"},
      {"accuracy/train", "train_accuracy"},
      {"accuracy/val", "val_accuracy"},
      {"accuracy/test", "test_accuracy"},
      {"macro_f1/val", "val_macro_f1"}};
  for (const auto& [tag, key] : names) {
    EXPECT_EQ(event.scalars.at(tag),
              static_cast<float>(line.at(key).get<double>()))
        << tag;
  }
  EXPECT_EQ(event.scalars.size(), names.size() + 1);
}

TEST_F(TrainCurves, EventFilesAndCsvHoldTheMetrics) {
  const Outcome outcome = train({"--splits", "all", "--workers", "2"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const int split : {0, 1, 2}) {
    const auto files = event_files(split);
    ASSERT_EQ(files.size(), 1u);
    const std::vector<ScalarEvent> events = event_reader::read_events(files[0]);
    const std::vector<nlohmann::json> lines = metrics(split);
    ASSERT_EQ(events.size(), 4u);
    ASSERT_EQ(lines.size(), events.size());
    float best = 0;
    for (size_t i = 0; i < events.size(); ++i) {
      expect_same(events[i], lines[i]);
      best = std::max(best, events[i].scalars.at("accuracy/val"));
      EXPECT_EQ(events[i].scalars.at("best/val"), best);
    }
    const std::string csv = core::read_file(
        dir_ / "run" / ("split-" + std::to_string(split)) / "curves.csv");
    EXPECT_TRUE(core::starts_with(csv, "epoch,loss,lr,"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  }
}

TEST_F(TrainCurves, AResumedRunStartsFilesOnlyForSplitsThatTrain) {
  ASSERT_EQ(train({"--splits", "0"}).status, 0);
  // As if killed in between: without a result the split trains again.
  ASSERT_TRUE(std::filesystem::remove(dir_ / "run/split-0/result.json"));
  ASSERT_TRUE(std::filesystem::remove(dir_ / "run/split-0/curves.csv"));
  const Outcome again = train({"--splits", "0", "--resume"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(event_files(0).size(), 2u);
  for (const auto& file : event_files(0)) {
    EXPECT_EQ(event_reader::read_events(file).size(), 4u);
  }
  EXPECT_TRUE(std::filesystem::exists(dir_ / "run/split-0/curves.csv"));
  ASSERT_EQ(train({"--splits", "0", "--resume"}).status, 0);
  EXPECT_EQ(event_files(0).size(), 2u);
}

TEST_F(TrainCurves, AFolderThatCannotBeWrittenIsAnError) {
  write_text(dir_ / "logs", "text");
  const Outcome outcome = train({});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "logs: cannot create"));
  EXPECT_EQ(core::read_file(dir_ / "logs"), "text");
}

TEST_F(TrainCurves, AreInTheHelp) {
  const std::string help = run_ognn({"train", "--help"}).out;
  EXPECT_TRUE(contains(help, "--tensorboard DIR"));
  EXPECT_TRUE(contains(help, "tensorboard --logdir logs"));
}

}  // namespace
}  // namespace ordered_gnn
