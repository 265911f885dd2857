#include "ordered_gnn/explain/part_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/errors.h"

namespace ordered_gnn::explain {
namespace {

const std::vector<int64_t> kLabels = {0, 0, 1, 1, -1, 2};
const std::vector<int64_t> kPredicted = {0, 1, 1, 1, 2, 0};
const std::vector<float> kConfidence = {0.9f, 0.6f, 0.8f, 1.0f, 0.7f, 0.5f};

std::vector<int64_t> nodes_to(int64_t count) {
  std::vector<int64_t> nodes(static_cast<size_t>(count));
  std::iota(nodes.begin(), nodes.end(), int64_t{0});
  return nodes;
}

PartScores scores_of_nodes(const std::vector<int64_t>& nodes,
                           int64_t num_classes = 4) {
  return score_part("test", nodes, kLabels, kPredicted, kConfidence,
                    num_classes);
}

TEST(ScorePart, GivesHandWorkedScores) {
  const PartScores part = scores_of_nodes(nodes_to(6));
  EXPECT_EQ(part.name, "test");
  EXPECT_EQ(part.nodes, 6);
  EXPECT_EQ(part.labelled, 5);
  EXPECT_DOUBLE_EQ(part.accuracy, 3.0 / 5);
  EXPECT_NEAR(part.mean_confidence, 3.8 / 5, 1e-7);
  const ClassScores& one = part.classes[1];
  EXPECT_EQ(one.support, 2);
  EXPECT_EQ(one.predicted, 3);
  EXPECT_EQ(one.hits, 2);
  EXPECT_DOUBLE_EQ(one.precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(one.recall, 1);
  EXPECT_DOUBLE_EQ(one.f1, 0.8);
  EXPECT_DOUBLE_EQ(part.classes[0].f1, 0.5);
  EXPECT_DOUBLE_EQ(part.macro_f1, (0.5 + 0.8 + 0) / 3);
  const std::vector<int64_t> confusion = {1, 1, 0, 0,  //
                                          0, 2, 0, 0,  //
                                          1, 0, 0, 0,  //
                                          0, 0, 0, 0};
  EXPECT_EQ(part.confusion, confusion);
}

TEST(ScorePart, RatiosOfNothingAreNotNumbers) {
  const PartScores part = scores_of_nodes(nodes_to(6));
  EXPECT_TRUE(std::isnan(part.classes[2].precision));
  EXPECT_EQ(part.classes[2].recall, 0);
  EXPECT_TRUE(std::isnan(part.classes[3].f1));
  for (const PartScores& empty : {scores_of_nodes({}), scores_of_nodes({4})}) {
    EXPECT_EQ(empty.labelled, 0);
    EXPECT_TRUE(std::isnan(empty.accuracy));
    EXPECT_TRUE(std::isnan(empty.macro_f1));
    EXPECT_TRUE(std::isnan(empty.calibration_error));
    EXPECT_TRUE(std::isnan(empty.mean_confidence));
    EXPECT_EQ(empty.calibration.size(), static_cast<size_t>(kCalibrationBins));
    EXPECT_TRUE(std::isnan(empty.calibration[3].accuracy));
  }
}

TEST(ScorePart, CalibratesInBins) {
  const PartScores part = scores_of_nodes(nodes_to(6));
  // 0.9 is in (13/15, 14/15], 0.6 in (8/15, 9/15], 0.8 in (11/15, 12/15], 1 in
  // the last, 0.5 in (7/15, 8/15]; 0.6f and 0.8f round up past their bounds.
  EXPECT_EQ(part.calibration[13].nodes, 1);
  EXPECT_EQ(part.calibration[14].nodes, 1);
  EXPECT_EQ(part.calibration[7].nodes, 1);
  EXPECT_EQ(part.calibration[7].accuracy, 0);
  EXPECT_DOUBLE_EQ(part.calibration[7].confidence, 0.5);
  EXPECT_DOUBLE_EQ(part.calibration[7].low, 7.0 / 15);
  EXPECT_DOUBLE_EQ(part.calibration[7].high, 8.0 / 15);
  EXPECT_NEAR(part.calibration_error, (0.1 + 0.6 + 0.2 + 0 + 0.5) / 5, 1e-6);
  int64_t nodes = 0;
  for (const CalibrationBin& bin : part.calibration) nodes += bin.nodes;
  EXPECT_EQ(nodes, part.labelled);
}

TEST(ScorePart, PutsBothEndsIntoBins) {
  const PartScores part =
      score_part("all", {0, 1}, {0, 0}, {0, 0}, {0.0f, 1.0f}, 1);
  EXPECT_EQ(part.calibration.front().nodes, 1);
  EXPECT_EQ(part.calibration.back().nodes, 1);
}

TEST(ScorePart, HasNoConfusionOfVeryManyClasses) {
  EXPECT_TRUE(scores_of_nodes(nodes_to(6), kMostConfusionClasses + 1)
                  .confusion.empty());
  EXPECT_EQ(scores_of_nodes(nodes_to(6), 100).confusion.size(), 10000u);
}

TEST(ScorePart, RefusesWhatIsOutOfRange) {
  const auto error = [](const std::vector<int64_t>& nodes, int64_t classes) {
    return error_of([&] { scores_of_nodes(nodes, classes); });
  };
  EXPECT_TRUE(contains(error({6}, 4), "no node 6 among 6"));
  EXPECT_TRUE(contains(error({-1}, 4), "no node -1"));
  EXPECT_TRUE(contains(error({5}, 2), "node 5 has label 2"));
  EXPECT_TRUE(contains(error({4}, 2), "prediction 2"));
  const auto with = [](float confidence) {
    return error_of([&] { score_part("all", {0}, {0}, {0}, {confidence}, 1); });
  };
  EXPECT_TRUE(contains(with(NAN), "confidence of node 0"));
  EXPECT_TRUE(contains(with(1.5f), "1.5"));
  EXPECT_TRUE(contains(error_of([] { score_part("all", {}, {0}, {}, {}, 1); }),
                       "one graph"));
}

}  // namespace
}  // namespace ordered_gnn::explain
