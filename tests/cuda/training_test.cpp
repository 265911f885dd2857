// Runs of the trainer on the GPU, where epochs are replays of a CUDA graph.
#include <algorithm>
#include <limits>

#include "core/io/safetensors/safetensors.h"
#include "cuda/training_support.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"
#include "train/train_step.h"

namespace ordered_gnn {
namespace {

struct Cut {};

// Every run must stop where a look at each epoch's scores would have.
void expect_exact_stop(const TrainedRun& run, const TrainOptions& options) {
  int64_t best_epoch = 0;
  double best_score = 0;
  for (size_t i = 0; i < run.reports.size(); ++i) {
    const EpochReport& report = run.reports[i];
    EXPECT_EQ(report.epoch, static_cast<int64_t>(i) + 1);
    const double score = select(report.val, options.metric);
    if (best_epoch == 0 || score > best_score) {
      best_epoch = report.epoch;
      best_score = score;
    }
    EXPECT_EQ(report.best_epoch, best_epoch) << "epoch " << report.epoch;
    const double sign = lower_is_better(options.metric) ? -1 : 1;
    EXPECT_EQ(report.best_score, sign * best_score) << "epoch " << report.epoch;
  }
  EXPECT_EQ(run.result.best_epoch, best_epoch);
  EXPECT_EQ(select(run.result.val, options.metric), best_score);
  EXPECT_EQ(run.result.epochs,
            std::min(options.epochs, best_epoch + options.patience));
  EXPECT_EQ(run.result.epochs, static_cast<int64_t>(run.reports.size()));
}

class CudaTraining : public CudaTrainingTest {
 protected:
  // Throws out of the report of an epoch.
  void train_until(int64_t epoch, const std::filesystem::path& folder) {
    TrainHooks hooks;
    hooks.folder = folder;
    hooks.on_epoch = [&](const EpochReport& report) {
      if (report.epoch == epoch) throw Cut();
    };
    EXPECT_THROW(train_split(data_, 0, options_, hooks), Cut);
  }

  void expect_resumes_to_the_same_bits(const std::string& name) {
    SCOPED_TRACE(name);
    options_.train.save_seconds = 0;
    options_.train.epochs = 60;
    options_.train.patience = 15;
    const auto whole_folder = dir_ / (name + "-whole");
    const TrainedRun whole = train(data_, options_, whole_folder);
    const int64_t last = whole.result.epochs;
    for (const int64_t stop : {int64_t{1}, int64_t{2}, last / 2, last}) {
      SCOPED_TRACE("stopped in epoch " + std::to_string(stop));
      const auto folder = dir_ / (name + "-" + std::to_string(stop));
      train_until(stop, folder);
      const TrainedRun rest = train(data_, options_, folder, /*resume=*/true);
      EXPECT_EQ(rest.reports.front().epoch > 1, stop > 1);
      EXPECT_EQ(lasting(rest.result), lasting(whole.result));
      expect_same_files(whole_folder, folder);
    }
  }
};

TEST_F(CudaTraining, ReportsAreThoseOfTheCpu) {
  options_.train.epochs = options_.train.patience = 5;
  const TrainedRun got = train(data_, options_);
  const TrainedRun expected = train(data_, on_device(options_, "cpu"));
  ASSERT_EQ(got.reports.size(), 5u);
  ASSERT_EQ(expected.reports.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    const EpochReport &a = got.reports[i], &b = expected.reports[i];
    EXPECT_NEAR(a.loss, b.loss, 1e-3) << "epoch " << i + 1;
    EXPECT_EQ(a.lr, b.lr);
    EXPECT_EQ(a.epochs, b.epochs);
    // One node of 12 or more may lie on the edge between two classes.
    EXPECT_NEAR(a.train.accuracy, b.train.accuracy, 0.1) << "epoch " << i + 1;
    EXPECT_NEAR(a.val.accuracy, b.val.accuracy, 0.1) << "epoch " << i + 1;
    EXPECT_NEAR(a.test.accuracy, b.test.accuracy, 0.1) << "epoch " << i + 1;
  }
}

TEST_F(CudaTraining, TwoRunsGiveTheSameBits) {
  for (const int64_t hidden : {16, 256}) {
    SCOPED_TRACE(hidden);
    options_.network.hidden = hidden;
    const auto one = dir_ / ("one-" + std::to_string(hidden));
    const auto two = dir_ / ("two-" + std::to_string(hidden));
    const TrainedRun first = train(data_, options_, one);
    const TrainedRun second = train(data_, options_, two);
    EXPECT_EQ(first.losses(), second.losses());
    EXPECT_EQ(lasting(first.result), lasting(second.result));
    expect_same_files(one, two);
  }
}

TEST_F(CudaTraining, ReplaysAreTheStepsThatTheHostAsksFor) {
  options_.train.epochs = options_.train.patience = 30;
  options_.train.schedule = Schedule::cosine;
  options_.train.warmup = 3;
  for (const char* math : {"fp32", "bf16"}) {
    SCOPED_TRACE(math);
    options_.execution.math = parse_math(math);
    options_.network.hidden = 256;
    const NodeDataset placed =
        to_device(data_, at::kCUDA, storage_of(options_.execution));
    const auto model = create_model(options_.model,
                                    {data_.features.num_features(),
                                     data_.num_classes, placed.features.kind()},
                                    options_.network, options_.train.seed);
    model->to(at::kCUDA);
    training::TrainStep step(*model, placed, placed.splits[0], options_.train);
    std::vector<double> losses;
    for (int64_t epoch = 1; epoch <= 30; ++epoch) {
      losses.push_back(step.run(epoch, learning_rate(options_.train, epoch)));
    }
    EXPECT_EQ(train(data_, options_).losses(), losses);
  }
}

TEST_F(CudaTraining, StopsExactlyWhenPatienceOrEpochsEnd) {
  for (const int64_t patience : {1, 3, 20, 400}) {
    for (const int64_t epochs : {1, 2, 7, 400}) {
      SCOPED_TRACE("patience " + std::to_string(patience) + " epochs " +
                   std::to_string(epochs));
      options_.train.patience = patience;
      options_.train.epochs = epochs;
      expect_exact_stop(train(data_, options_), options_.train);
    }
  }
}

TEST_F(CudaTraining, OtherMetricsPickTheBestEpoch) {
  options_.train.epochs = 80;
  options_.train.patience = 10;
  for (const Metric metric :
       {Metric::macro_f1, Metric::balanced_accuracy, Metric::roc_auc,
        Metric::average_precision, Metric::log_loss}) {
    SCOPED_TRACE(to_string(metric));
    options_.train.metric = metric;
    expect_exact_stop(train(data_, options_), options_.train);
  }
  options_.data.data = "synthetic:csbm?nodes=60&classes=2&features=8&splits=1";
  data_ = load_dataset(options_.data);
  for (const Metric metric : {Metric::accuracy, Metric::roc_auc}) {
    SCOPED_TRACE(to_string(metric));
    options_.train.metric = metric;
    const TrainedRun run = train(data_, options_);
    expect_exact_stop(run, options_.train);
    EXPECT_GE(run.result.test.roc_auc, 0);
    EXPECT_LE(run.result.test.roc_auc, 1);
  }
}

TEST_F(CudaTraining, KeepsTheParametersOfTheBestEpoch) {
  for (const Metric metric : {Metric::accuracy, Metric::macro_f1,
                              Metric::balanced_accuracy, Metric::log_loss}) {
    SCOPED_TRACE(to_string(metric));
    options_.train.metric = metric;
    options_.train.epochs = options_.train.patience = 60;
    const auto folder = dir_ / to_string(metric);
    const RunResult whole = train(data_, options_, folder / "whole").result;
    // The best epoch is the last one here.
    options_.train.epochs = whole.best_epoch;
    train(data_, options_, folder / "short");
    const auto tensors = [&](const char* name) {
      return core::read_safetensors(folder / name / "model.safetensors")
          .tensors;
    };
    const auto got = tensors("whole"), expected = tensors("short");
    ASSERT_EQ(got.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      EXPECT_TRUE(torch::equal(got.at(name), tensor)) << name;
    }
  }
}

// The checkpoint of an averaged run predicts the scores of its best epoch.
TEST_F(CudaTraining, KeepsTheAveragesOfTheBestEpoch) {
  options_.train.average_weights = 0.9;
  options_.train.epochs = options_.train.patience = 30;
  for (const Metric metric : {Metric::accuracy, Metric::log_loss}) {
    SCOPED_TRACE(to_string(metric));
    options_.train.metric = metric;
    const auto folder = dir_ / ("averaged-" + to_string(metric));
    const TrainedRun run = train(data_, options_, folder);
    const Trained trained = load_trained(folder / "model.safetensors");
    const Scores test = score_nodes(predict(*trained.model, data_).logits,
                                    data_.labels, data_.splits[0].test);
    EXPECT_NEAR(test.accuracy, run.result.test.accuracy, 0.1);
    const Scores val = score_nodes(predict(*trained.model, data_).logits,
                                   data_.labels, data_.splits[0].val);
    EXPECT_NEAR(val.log_loss, run.result.val.log_loss, 1e-3);
  }
}

TEST_F(CudaTraining, AStoppedRunResumesToTheSameBits) {
  expect_resumes_to_the_same_bits("plain");
  options_.network.norm = Norm::batch;
  expect_resumes_to_the_same_bits("batch");
  options_.train.average_weights = 0.9;
  expect_resumes_to_the_same_bits("averaged");
  options_.network.norm = Norm::layer;
  // Pairs are counted on the device.
  options_.data.data = "synthetic:csbm?nodes=60&classes=2&features=8&splits=1";
  data_ = load_dataset(options_.data);
  options_.train.metric = Metric::roc_auc;
  expect_resumes_to_the_same_bits("two classes, averaged");
  options_.train.average_weights = 0;
  expect_resumes_to_the_same_bits("two classes");
  options_.train.metric = Metric::log_loss;
  expect_resumes_to_the_same_bits("scored on the host");
}

// Between two batches of epochs, however rarely states are saved.
TEST_F(CudaTraining, ARunThatIsAskedToStopResumesToTheSameBits) {
  options_.train.save_seconds = 1e6;
  options_.train.epochs = 200;
  options_.train.patience = 200;
  const TrainedRun whole = train(data_, options_, dir_ / "whole");
  int64_t last = 0;
  TrainHooks hooks;
  hooks.folder = dir_ / "cut";
  hooks.on_epoch = [&](const EpochReport& report) { last = report.epoch; };
  hooks.should_stop = [&] { return last > 0; };
  EXPECT_THROW(train_split(data_, 0, options_, hooks), Interrupted);
  const TrainedRun rest = train(data_, options_, dir_ / "cut", /*resume=*/true);
  EXPECT_EQ(rest.reports.front().epoch, last + 1);
  EXPECT_EQ(lasting(rest.result), lasting(whole.result));
  expect_same_files(dir_ / "whole", dir_ / "cut");
}

TEST_F(CudaTraining, WorkersGiveTheSameBits) {
  options_.splits = "all";
  const auto run = [&](int64_t workers) {
    options_.execution.workers = workers;
    lab::SplitsHooks hooks;
    hooks.folder = dir_ / std::to_string(workers);
    return lab::run_splits(data_, options_, hooks);
  };
  const lab::RunSummary one = run(1);
  const lab::RunSummary three = run(3);
  ASSERT_EQ(one.runs.size(), 3u);
  ASSERT_EQ(three.runs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE("split " + std::to_string(i));
    EXPECT_EQ(lasting(three.runs[i]), lasting(one.runs[i]));
    const std::string split = "split-" + std::to_string(i);
    expect_same_files(dir_ / "1" / split, dir_ / "3" / split);
  }
}

TEST_F(CudaTraining, ADivergingRunStopsWithAnExplanation) {
  // Finite features whose sums overflow.
  data_.features =
      NodeFeatures::dense(torch::full({data_.num_nodes(), 8}, 3e38));
  const std::string message =
      error_of([&] { train_split(data_, 0, options_); });
  EXPECT_TRUE(contains(message, "the loss became")) << message;
  EXPECT_TRUE(contains(message, "in epoch 1 of split 0")) << message;
  EXPECT_TRUE(contains(message, "--lr")) << message;
}

TEST_F(CudaTraining, ARunThatDivergesLateNamesTheEpoch) {
  options_.train.save_seconds = 0;
  train_until(options_.train.epochs, dir_ / "run");
  const auto file = dir_ / "run" / "state.safetensors";
  core::TensorFile state = core::read_safetensors(file);
  const int64_t epoch =
      Json::parse(state.metadata.at("progress")).at("epoch").get<int64_t>();
  // Numbers, but logits made with them are none.
  state.tensors.at("model.output.weight").fill_(3e38);
  core::write_safetensors(file, state);
  const std::string message =
      error_of([&] { train(data_, options_, dir_ / "run", /*resume=*/true); });
  EXPECT_TRUE(contains(
      message, "in epoch " + std::to_string(epoch + 1) + " of split 0"));
}

}  // namespace
}  // namespace ordered_gnn
