#include "ordered_gnn/train/options.h"

#include <gtest/gtest.h>

namespace ordered_gnn::training {
namespace {

TEST(LearningRate, RisesLinearlyDuringWarmup) {
  TrainOptions options;
  options.lr = 1;
  options.warmup = 4;
  EXPECT_DOUBLE_EQ(learning_rate(options, 1), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(options, 4), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(options, 5), 1.0);
}

TEST(LearningRate, EveryScheduleStartsAtFullSpeedAndFallsAsNamed) {
  TrainOptions options;
  options.lr = 1;
  options.epochs = 100;
  const auto at_epoch = [&](Schedule schedule, int64_t epoch) {
    options.schedule = schedule;
    return learning_rate(options, epoch);
  };
  for (const Schedule schedule : {Schedule::constant, Schedule::linear,
                                  Schedule::cosine, Schedule::step}) {
    EXPECT_DOUBLE_EQ(at_epoch(schedule, 1), 1.0) << to_string(schedule);
  }
  EXPECT_DOUBLE_EQ(at_epoch(Schedule::constant, 100), 1.0);
  EXPECT_DOUBLE_EQ(at_epoch(Schedule::linear, 51), 0.5);
  EXPECT_NEAR(at_epoch(Schedule::cosine, 51), 0.5, 1e-12);
  EXPECT_GT(at_epoch(Schedule::cosine, 100), 0.0);
  EXPECT_DOUBLE_EQ(at_epoch(Schedule::step, 26), 0.5);
  EXPECT_DOUBLE_EQ(at_epoch(Schedule::step, 76), 0.125);
}

TEST(TrainOptions, NamesRoundTrip) {
  for (const char* name : {"frozen", "no_decay", "decay"}) {
    EXPECT_EQ(to_string(parse_input_norm(name)), name);
  }
  for (const char* name :
       {"accuracy", "macro_f1", "roc_auc", "balanced_accuracy",
        "average_precision", "log_loss"}) {
    EXPECT_EQ(to_string(parse_metric(name)), name);
  }
  for (const char* name : {"constant", "linear", "cosine", "step"}) {
    EXPECT_EQ(to_string(parse_schedule(name)), name);
  }
}

}  // namespace
}  // namespace ordered_gnn::training
