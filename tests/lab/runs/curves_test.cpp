#include "lab/runs/curves.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/io/text/text.h"
#include "lab/runs/run_splits.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kHeader =
    "epoch,loss,lr,train_accuracy,val_accuracy,test_accuracy,val_macro_f1,"
    "best_epoch\n";
constexpr const char* kMetrics =
    R"({"best_epoch":1,"epoch":1,"loss":1.5,"lr":1e-05,"test_accuracy":null,)"
    R"("train_accuracy":0.25,"val_accuracy":0.1,"val_macro_f1":0})";
constexpr const char* kRow = "1,1.5,1e-05,0.25,0.1,,0,1\n";

std::vector<double> numbers_of(const EpochReport& report) {
  return {static_cast<double>(report.epoch),
          report.loss,
          report.lr,
          report.train.accuracy,
          report.val.accuracy,
          report.test.accuracy,
          report.val.macro_f1,
          static_cast<double>(report.best_epoch)};
}

std::vector<double> numbers_of(const std::string& line) {
  std::vector<double> numbers;
  for (const std::string_view field : core::split_fields(line, ',')) {
    numbers.push_back(core::parse_number(field, "field", {}));
  }
  return numbers;
}

class CurvesTest : public testing::Test {
 protected:
  std::string curves_of(const std::string& metrics) {
    write_text(dir_ / "split-0" / "metrics.jsonl", metrics);
    left_out_ = write_curves(dir_.path());
    return core::read_file(dir_ / "split-0" / "curves.csv");
  }

  std::vector<std::string> left_out_;
  TempDir dir_;
};

TEST_F(CurvesTest, OfARealRunEqualItsMetrics) {
  RunOptions options = tiny_run();
  options.splits = "0,2";
  SplitsHooks hooks;
  hooks.folder = dir_ / "run";
  std::map<int64_t, std::vector<EpochReport>> reports;
  hooks.on_epoch = [&](const EpochReport& report) {
    reports[report.split].push_back(report);
  };
  const NodeDataset data = load_for_training(options);
  run_splits(data, options, hooks);
  write_curves(hooks.folder);
  ASSERT_EQ(reports.size(), 2u);
  for (const auto& [split, epochs] : reports) {
    std::istringstream csv(core::read_file(
        hooks.folder / ("split-" + std::to_string(split)) / "curves.csv"));
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line + "\n", kHeader);
    for (const EpochReport& report : epochs) {
      ASSERT_TRUE(std::getline(csv, line));
      EXPECT_EQ(numbers_of(line), numbers_of(report));
    }
    EXPECT_EQ(epochs.size(), 12u);
    EXPECT_FALSE(std::getline(csv, line));
  }
}

TEST_F(CurvesTest, ABrokenLastLineIsLeftOut) {
  const std::string good = std::string(kMetrics) + "\n";
  const std::string expected = std::string(kHeader) + kRow;
  EXPECT_EQ(curves_of(good), expected);
  EXPECT_EQ(curves_of(kMetrics), expected);
  for (const std::string& rest :
       {std::string("{\"best_epoch\":1,\"ep"), std::string("{}\n"),
        std::string(64, '\0'), std::string("\n"), std::string("[1]"),
        std::string("\xff\xfe")}) {
    EXPECT_EQ(curves_of(good + rest), expected) << rest;
    EXPECT_TRUE(left_out_.empty());
  }
  EXPECT_EQ(curves_of(""), kHeader);
  EXPECT_EQ(curves_of("{"), kHeader);
}

TEST_F(CurvesTest, OtherBrokenLinesAreLeftOutAndNamed) {
  const std::string good = std::string(kMetrics) + "\n";
  const std::string file = (dir_ / "split-0" / "metrics.jsonl").string();
  std::string text_loss = good;
  text_loss.replace(text_loss.find("1.5"), 3, "\"x\"");
  for (const std::string& broken :
       {std::string("{\"epoch\":2\n"), std::string("{\"epoch\":2}\n"),
        std::string("\n"), text_loss}) {
    EXPECT_EQ(curves_of(good + broken + good + "{\"torn"),
              std::string(kHeader) + kRow + kRow);
    ASSERT_EQ(left_out_.size(), 1u);
    EXPECT_TRUE(contains(left_out_[0], file + ":2: expected a JSON object"));
  }
}

TEST_F(CurvesTest, AFolderWithoutMetricsIsAnError) {
  EXPECT_TRUE(contains(error_of([&] { write_curves(dir_ / "none"); }),
                       (dir_ / "none").string() + ": cannot be listed"));
  std::filesystem::create_directories(dir_ / "split-1");
  write_text(dir_ / "split-x" / "metrics.jsonl", kMetrics);
  EXPECT_TRUE(contains(error_of([&] { write_curves(dir_.path()); }),
                       "has no split-K/metrics.jsonl"));
  // A split that has not begun does not keep the others from their curves.
  EXPECT_EQ(curves_of(kMetrics), std::string(kHeader) + kRow);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "split-1" / "curves.csv"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "split-x" / "curves.csv"));
}

}  // namespace
}  // namespace ordered_gnn::lab
