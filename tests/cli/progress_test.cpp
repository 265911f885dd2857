#include "shared/progress.h"

#include <gtest/gtest.h>

namespace ordered_gnn::cli {
namespace {

EpochReport report_of(int64_t split, int64_t epoch, double val) {
  EpochReport report;
  report.split = split;
  report.epoch = epoch;
  report.epochs = 2000;
  report.loss = 0.5;
  report.val.accuracy = val;
  report.best_epoch = 7;
  report.best_score = 0.9;
  report.seconds_left = 62;
  return report;
}

TEST(Progress, OneRunningSplitIsToldInFull) {
  EXPECT_EQ(running_text({{3, report_of(3, 120, 0.812)}}),
            "split 3 epoch 120/2000 loss 0.5000 val 81.20 best 90.00 @7 left "
            "<=1:02");
}

TEST(Progress, SeveralRunningSplitsShareALine) {
  EXPECT_EQ(
      running_text({{4, report_of(4, 9, 0.5)}, {0, report_of(0, 120, 0.812)}}),
      "2 running: split 0 epoch 120/2000 val 81.20 | split 4 epoch 9/2000 val "
      "50.00");
}

TEST(StatusLine, TextIsCutBetweenCharacters) {
  EXPECT_EQ(cut_to("abcdef", 4), "abcd");
  EXPECT_EQ(cut_to("abc", 4), "abc");
  EXPECT_EQ(cut_to("a±bc", 2), "a±");
  EXPECT_EQ(cut_to("a±bc", 1), "a");
  EXPECT_EQ(cut_to("no width known", 0), "no width known");
}

}  // namespace
}  // namespace ordered_gnn::cli
