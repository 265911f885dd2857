#include "shared/progress.h"

#include <gtest/gtest.h>

#include "lab/report/text_width.h"
#include "shared/status_line.h"

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
  EXPECT_EQ(running_text("", {{3, report_of(3, 120, 0.812)}}, Metric::accuracy,
                         0, false),
            "split 3 epoch 120/2000 loss 0.5000 val 81.20 best 90.00 @7 left "
            "<=1:02");
}

TEST(Progress, ALossIsShownAsItIs) {
  EpochReport report = report_of(3, 120, 0.812);
  report.val.log_loss = 0.4321;
  report.best_score = -0.4;
  EXPECT_EQ(running_text("", {{3, report}}, Metric::log_loss, 0, false),
            "split 3 epoch 120/2000 loss 0.5000 val 0.4321 best 0.4000 @7 left "
            "<=1:02");
}

TEST(Progress, SeveralRunningSplitsShareALine) {
  EXPECT_EQ(running_text(
                "", {{4, report_of(4, 9, 0.5)}, {0, report_of(0, 120, 0.812)}},
                Metric::accuracy, 0, true),
            "2 running, left <=1:02: split 0 epoch 120/2000 val 81.20 | split "
            "4 epoch 9/2000 val 50.00");
}

TEST(Progress, TheTimeLeftIsThereAtEveryWidth) {
  std::map<int64_t, EpochReport> running = {{9, report_of(9, 120, 0.812)}};
  for (const bool several : {false, true}) {
    if (several) running[10] = report_of(10, 1999, 0.5);
    for (const char* title : {"", "heterophilous / Ordered GNN"}) {
      for (const size_t columns : {40, 60, 80, 120}) {
        const std::string line =
            running_text(title, running, Metric::accuracy, columns, true);
        EXPECT_LE(lab::num_characters(line), columns) << line;
        EXPECT_NE(line.find("left <=1:02"), std::string::npos) << line;
      }
    }
  }
}

TEST(Progress, WhatMattersLeastGoesFirst) {
  const std::map<int64_t, EpochReport> running = {{0, report_of(0, 1000, 0.5)}};
  EXPECT_EQ(running_text("", running, Metric::accuracy, 80, true),
            "[####....] split 0 epoch 1000/2000 val 50.00 best 90.00 @7 left "
            "<=1:02");
  EXPECT_EQ(
      running_text("heterophilous / MLP", running, Metric::accuracy, 60, true),
      "heterophilou…: split 0 epoch 1000/2000 val 50.00 left <=1:02");
  EXPECT_EQ(running_text("", running, Metric::accuracy, 40, true),
            "split 0 epoch 1000/2000 left <=1:02");
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
