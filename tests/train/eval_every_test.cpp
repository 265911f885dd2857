// Runs that are evaluated in some of their epochs.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/io/file.h"
#include "core/io/json_reader.h"
#include "support/errors.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

TEST(IsEvaluated, EveryNthEpochAndTheLastOnesOfARun) {
  TrainOptions options;
  options.epochs = 25;
  options.patience = 7;
  options.eval_every = 10;
  std::set<int64_t> evaluated;
  for (int64_t epoch = 1; epoch <= 25; ++epoch) {
    if (is_evaluated(options, epoch, epoch > 10 ? 10 : 0)) {
      evaluated.insert(epoch);
    }
  }
  EXPECT_EQ(evaluated, (std::set<int64_t>{10, 17, 20, 25}));
  options.eval_every = 1;
  EXPECT_TRUE(is_evaluated(options, 1, 0));
}

class EvalEveryTest : public TrainerTest {
 protected:
  EvalEveryTest() {
    options_.train.epochs = 17;
    options_.train.patience = 17;
    options_.train.save_seconds = 0;
  }

  std::vector<EpochReport> reports(const std::string& name) {
    std::vector<EpochReport> out;
    TrainHooks all = hooks(name);
    all.on_epoch = [&](const EpochReport& report) { out.push_back(report); };
    result_ = train_split(data_, 0, options_, all);
    return out;
  }

  RunResult result_;
};

TEST_F(EvalEveryTest, TrainsAsBeforeAndChoosesAmongTheEvaluated) {
  options_.train.average_weights = 0.7;
  const std::vector<EpochReport> all = reports("all");
  options_.train.eval_every = 5;
  const std::vector<EpochReport> some = reports("some");
  ASSERT_EQ(some.size(), all.size());
  int64_t best = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(some[i].loss, all[i].loss) << i;
    const int64_t epoch = some[i].epoch;
    if (epoch % 5 != 0 && epoch != 17) {
      EXPECT_TRUE(std::isnan(some[i].val.accuracy)) << epoch;
    } else {
      EXPECT_EQ(some[i].val.accuracy, all[i].val.accuracy) << epoch;
      if (best == 0 || all[i].val.accuracy > all[best - 1].val.accuracy) {
        best = epoch;
      }
    }
    EXPECT_EQ(some[i].best_epoch, best);
  }
  EXPECT_EQ(result_.best_epoch, best);
  EXPECT_EQ(result_.val.accuracy, all[best - 1].val.accuracy);
}

TEST_F(EvalEveryTest, WritesNoScoresOfOtherEpochs) {
  options_.train.eval_every = 4;
  reports("run");
  std::istringstream lines(core::read_file(dir_ / "run" / "metrics.jsonl"));
  int64_t epoch = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json json = core::parse_json_or_nothing(line).value();
    EXPECT_EQ(json.at("epoch"), ++epoch);
    EXPECT_EQ(json.at("val_accuracy").is_null(), epoch % 4 != 0 && epoch != 17);
    EXPECT_TRUE(json.at("loss").is_number());
  }
  EXPECT_EQ(epoch, 17);
}

TEST_F(EvalEveryTest, PatienceCountsEpochsAndItsLastIsEvaluated) {
  options_.train.epochs = 1000;
  options_.train.patience = 7;
  options_.train.eval_every = 5;
  options_.train.lr = 0;  // the first evaluation stays the best
  const std::vector<EpochReport> all = reports("run");
  EXPECT_EQ(result_.best_epoch, 5);
  EXPECT_EQ(all.size(), 12u);
  EXPECT_FALSE(std::isnan(all.back().val.accuracy));
}

// Also from a state of before the first evaluation, when there is no model to
// keep.
TEST_F(EvalEveryTest, AStoppedRunResumesToTheSameBits) {
  options_.train.eval_every = 6;
  reports("whole");
  for (const int64_t stop : {3, 8}) {
    const std::string name = "cut-" + std::to_string(stop);
    train_until(name, stop);
    EXPECT_EQ(std::filesystem::exists(dir_ / name / "model.safetensors"),
              stop > 6);
    train_split(data_, 0, options_, hooks(name, /*resume=*/true));
    for (const char* file : {"model.safetensors", "metrics.jsonl"}) {
      EXPECT_EQ(core::read_file(dir_ / "whole" / file),
                core::read_file(dir_ / name / file))
          << name;
    }
  }
}

TEST_F(EvalEveryTest, IsPartOfWhatARunIs) {
  EXPECT_EQ(run_identity(options_, "x").count("eval-every"), 0u);
  options_.train.eval_every = 3;
  EXPECT_EQ(run_identity(options_, "x").at("eval-every"), 3);
  options_.execution.device = Device::cuda;
  EXPECT_TRUE(
      contains(error_of([&] { validate_values(options_); }), "--eval-every 3"));
  options_.train.eval_every = 0;
  EXPECT_TRUE(
      contains(error_of([&] { validate_values(options_); }), "'eval-every'"));
}

}  // namespace
}  // namespace ordered_gnn::training
