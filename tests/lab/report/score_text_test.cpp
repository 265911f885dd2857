#include "lab/report/score_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ordered_gnn::lab {
namespace {

TEST(ScoreText, FractionsArePerCentAndALogLossIsNot) {
  EXPECT_EQ(score_text(0.84321, Metric::accuracy), "84.32");
  EXPECT_EQ(score_text(-1e-9, Metric::roc_auc), "0.00");
  EXPECT_EQ(score_text(0.43214, Metric::log_loss), "0.4321");
  EXPECT_EQ(score_text(std::nan(""), Metric::accuracy), "-");
  EXPECT_EQ(score_heading(Metric::balanced_accuracy), "balanced_accuracy, %");
  EXPECT_EQ(score_heading(Metric::log_loss), "log_loss");
}

TEST(ScoreText, WhatWasChosenByHasItsSignBack) {
  EXPECT_EQ(reported(-0.5, Metric::log_loss), 0.5);
  EXPECT_EQ(reported(0.5, Metric::accuracy), 0.5);
}

}  // namespace
}  // namespace ordered_gnn::lab
