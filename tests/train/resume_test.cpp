// Runs that are stopped, killed or done, and go on.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>
#include <limits>

#include "core/io/file.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"
#include "support/errors.h"
#include "train/checkpoint.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

TEST_F(TrainerTest, AStoppedRunResumesToTheSameBits) {
  options_.train.save_seconds = 0;
  options_.train.epochs = 20;
  options_.train.patience = 20;
  const RunResult whole = train_split(data_, 0, options_, hooks("whole"));
  struct Cut {};
  TrainHooks stopping = hooks("cut");
  stopping.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 9) throw Cut();
  };
  EXPECT_THROW(train_split(data_, 0, options_, stopping), Cut);
  ASSERT_TRUE(std::filesystem::exists(dir_ / "cut" / "state.safetensors"));
  int64_t first_epoch = 0;
  TrainHooks resuming = hooks("cut", true);
  resuming.on_epoch = [&](const EpochReport& report) {
    if (first_epoch == 0) first_epoch = report.epoch;
  };
  const RunResult resumed = train_split(data_, 0, options_, resuming);
  EXPECT_EQ(first_epoch, 9);
  EXPECT_EQ(resumed.best_epoch, whole.best_epoch);
  EXPECT_DOUBLE_EQ(resumed.test.accuracy, whole.test.accuracy);
  expect_same_bits(saved("whole"), saved("cut"));
  EXPECT_EQ(core::read_file(dir_ / "whole" / "metrics.jsonl"),
            core::read_file(dir_ / "cut" / "metrics.jsonl"));
}

// However rarely states are saved, one is when a run is asked to stop.
TEST_F(TrainerTest, ARunThatIsAskedToStopResumesToTheSameBits) {
  options_.train.save_seconds = 1e6;
  options_.train.epochs = 20;
  options_.train.patience = 20;
  train_split(data_, 0, options_, hooks("whole"));
  for (const int64_t stop : {1, 7, 19}) {
    const std::string name = "cut-" + std::to_string(stop);
    train_until(name, stop);
    ASSERT_TRUE(std::filesystem::exists(dir_ / name / "state.safetensors"));
    int64_t first = 0;
    TrainHooks resuming = hooks(name, true);
    resuming.on_epoch = [&](const EpochReport& report) {
      if (first == 0) first = report.epoch;
    };
    train_split(data_, 0, options_, resuming);
    EXPECT_EQ(first, stop + 1);
    EXPECT_EQ(core::read_file(dir_ / "whole" / "model.safetensors"),
              core::read_file(dir_ / name / "model.safetensors"));
    EXPECT_EQ(core::read_file(dir_ / "whole" / "metrics.jsonl"),
              core::read_file(dir_ / name / "metrics.jsonl"));
  }
}

TEST_F(TrainerTest, ARunThatIsAskedToStopSaysWhatItKeeps) {
  const auto stopped_at = [&](int64_t stop, TrainHooks stopping) {
    int64_t last = 0;
    stopping.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
    stopping.should_stop = [&] { return last == stop; };
    return error_of([&] { train_split(data_, 0, options_, stopping); });
  };
  const std::string kept = stopped_at(2, hooks("kept"));
  EXPECT_TRUE(contains(kept, "split 0 was stopped after epoch 2"));
  EXPECT_TRUE(contains(kept, (dir_ / "kept").string()));
  EXPECT_TRUE(contains(stopped_at(2, {}), "nothing of it was kept"));
  EXPECT_TRUE(contains(stopped_at(0, hooks("none")), "nothing of it was kept"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "none" / "state.safetensors"));
}

TEST_F(TrainerTest, ARunWhoseLastEpochIsDoneIsNotStopped) {
  int64_t last = 0;
  TrainHooks late;
  late.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
  late.should_stop = [&] { return last == options_.train.epochs; };
  options_.train.patience = options_.train.epochs;
  EXPECT_EQ(train_split(data_, 0, options_, late).epochs,
            options_.train.epochs);
}

TEST_F(TrainerTest, WhatAKilledRunLeftHalfWrittenIsDeleted) {
  const auto half = dir_ / "run" / ".state.safetensors.2147483646-3.tmp";
  write_text(half, "half");
  write_text(dir_ / "run" / ".notes.tmp", "mine");
  train_split(data_, 0, options_, hooks("run"));
  EXPECT_FALSE(std::filesystem::exists(half));
  EXPECT_TRUE(std::filesystem::exists(dir_ / "run" / ".notes.tmp"));
}

TEST_F(TrainerTest, AFinishedRunIsNotRepeated) {
  const RunResult first = train_split(data_, 0, options_, hooks("run"));
  TrainHooks again = hooks("run", true);
  again.on_epoch = [](const EpochReport&) { FAIL() << "trained again"; };
  const RunResult second = train_split(data_, 0, options_, again);
  EXPECT_EQ(to_json(first), to_json(second));
}

TEST_F(TrainerTest, ResumingWithOtherSettingsIsRefused) {
  options_.train.save_seconds = 0;
  TrainHooks stopping = hooks("run");
  stopping.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 3) throw 1;
  };
  EXPECT_THROW(train_split(data_, 0, options_, stopping), int);
  options_.train.lr = 0.02;
  const std::string message =
      error_of([&] { train_split(data_, 0, options_, hooks("run", true)); });
  EXPECT_TRUE(contains(message, "other settings")) << message;
}

TEST_F(TrainerTest, ADamagedStateIsRefusedByName) {
  std::filesystem::create_directories(dir_ / "run");
  std::ofstream(dir_ / "run" / "state.safetensors") << "garbage";
  EXPECT_TRUE(contains(
      error_of([&] { train_split(data_, 0, options_, hooks("run", true)); }),
      "state.safetensors"));
}

// Stops a run in the middle and goes on with it.
TEST_F(TrainerTest, ARunWithoutTestPartAndWithWeightsGoesOnWithTheSameBits) {
  options_.data.split_set = "stratified:80/20/0x1";
  options_.train.class_weights = "0:5";
  options_.train.save_seconds = 0;
  data_ = load_dataset(options_.data);
  train_split(data_, 0, options_, hooks("whole"));
  struct Cut {};
  TrainHooks cut = hooks("cut");
  cut.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 5) throw Cut{};
  };
  EXPECT_THROW(train_split(data_, 0, options_, cut), Cut);
  train_split(data_, 0, options_, hooks("cut", true));
  expect_same_bits(saved("whole"), saved("cut"));
  options_.train.class_weights = "none";
  train_split(data_, 0, options_, hooks("plain"));
  EXPECT_FALSE(torch::equal(saved("whole").at("output.weight"),
                            saved("plain").at("output.weight")));
  // The weights are part of what a run is.
  EXPECT_TRUE(contains(
      error_of([&] { train_split(data_, 0, options_, hooks("whole", true)); }),
      "other settings"));
}

}  // namespace
}  // namespace ordered_gnn::training
