// Training with weights of edges, and what becomes of the model elsewhere.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/ordered_gnn.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/temp_dir.h"
#include "train/weight_remarks.h"

namespace ordered_gnn::training {
namespace {

using EdgeWeights = Treatment::EdgeWeights;

// A graph in which the weights alone tell which neighbours are of one's class:
// edges inside classes weigh 5, as many others 0.05, features say little.
NodeDataset customers(EdgeWeights treatment = EdgeWeights::use,
                      bool weighted = true) {
  constexpr int64_t kNodes = 240, kOfClass = 6, kOfOthers = 6;
  RandomStream random(3);
  std::vector<int64_t> ends;
  std::vector<float> weights;
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t i = 0; i < kOfClass + kOfOthers; ++i) {
      const bool same = i < kOfClass;
      auto u = static_cast<int64_t>(random.below(kNodes / 2)) * 2 + v % 2;
      if (!same) u = u / 2 * 2 + 1 - v % 2;
      ends.insert(ends.end(), {u, v});
      weights.push_back(same ? 5.F : 0.05F);
    }
  }
  const at::Tensor labels = torch::arange(kNodes, at::kLong).remainder(2);
  at::Tensor features = torch::empty({kNodes, 4});
  float* const value = features.data_ptr<float>();
  for (int64_t i = 0; i < features.numel(); ++i) {
    value[i] = static_cast<float>(3 * random.uniform() + ((i / 4) % 2) * 0.6);
  }
  ArrayOptions options;
  options.name = "customers";
  options.treatment.features = Treatment::Features::raw;
  options.treatment.edge_weights = treatment;
  if (weighted) options.edge_weights = torch::tensor(weights);
  return make_dataset(torch::tensor(ends, at::kLong).view({-1, 2}), features,
                      labels, options);
}

RunOptions weighted_run(const std::string& model = "ordered_gnn") {
  RunOptions options = short_run(model, 60);
  options.network.hops = 3;
  options.train.lr = 0.01;
  return options;
}

// Single splits are small and vary.
double mean_accuracy(const std::string& model, EdgeWeights treatment) {
  constexpr int64_t kSplits = 5;
  const NodeDataset data = customers(treatment);
  double sum = 0;
  for (int64_t split = 0; split < kSplits; ++split) {
    sum += train(data, split, weighted_run(model)).result.test.accuracy;
  }
  return sum / kSplits;
}

TEST(TrainWithWeights, TellsClassesApartThatWeightsTell) {
  for (const char* model : {"ordered_gnn", "gcn", "graphsage"}) {
    const double used = mean_accuracy(model, EdgeWeights::use);
    EXPECT_GT(used, 0.8) << model;
    EXPECT_GT(used, mean_accuracy(model, EdgeWeights::ignore) + 0.15) << model;
  }
}

TEST(TrainWithWeights, IgnoredOnesAreNoWeights) {
  const Trained without =
      train(customers(EdgeWeights::use, false), 0, weighted_run());
  const Trained ignored =
      train(customers(EdgeWeights::ignore), 0, weighted_run());
  const auto expected = without.model->parameters();
  const auto got = ignored.model->parameters();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(torch::equal(got[i], expected[i]));
  }
  EXPECT_FALSE(without.has_edge_weights);
  EXPECT_FALSE(ignored.has_edge_weights);
}

TEST(TrainWithWeights, DropsEdgesAndRecomputesLayers) {
  RunOptions options = weighted_run();
  options.train.epochs = options.train.patience = 3;
  options.train.drop_edge = 0.3;
  options.train.checkpoint_layers = true;
  options.network.layers = 6;
  EXPECT_GT(train(customers(), 0, options).result.epochs, 0);
}

class TrainedWithWeights : public testing::Test {
 protected:
  Trained saved_and_loaded(const NodeDataset& data,
                           const std::string& model = "ordered_gnn") {
    RunOptions options = weighted_run(model);
    options.train.epochs = options.train.patience = 2;
    train(data, 0, options).save(dir_ / "m.safetensors");
    return load_trained(dir_ / "m.safetensors");
  }

  TempDir dir_;
  const NodeDataset with_ = customers();
  const NodeDataset without_ = customers(EdgeWeights::use, false);
  const NodeDataset ignored_ = customers(EdgeWeights::ignore);
};

TEST_F(TrainedWithWeights, RefusesDataWithoutUnlessThatIsMeant) {
  const Trained trained = saved_and_loaded(with_);
  EXPECT_TRUE(trained.has_edge_weights);
  EXPECT_EQ(data_for(trained, "x").treatment.edge_weights, EdgeWeights::use);
  EXPECT_EQ(error_of([&] { require_fit(trained, with_, "m"); }), "");
  EXPECT_TRUE(contains(error_of([&] { predict(trained, without_); }),
                       "was trained with edge weights, but 'customers' has "
                       "none"));
  EXPECT_EQ(error_of([&] { predict(trained, ignored_); }), "");
  EXPECT_TRUE(contains(weight_remarks(trained, ignored_).at(0),
                       "but the model was trained with edge weights"));
  EXPECT_TRUE(weight_remarks(trained, with_).empty());
}

TEST_F(TrainedWithWeights, OneTrainedWithoutIgnoresThoseOfData) {
  const Trained trained = saved_and_loaded(without_);
  EXPECT_FALSE(trained.has_edge_weights);
  EXPECT_EQ(data_for(trained, "x").treatment.edge_weights, EdgeWeights::ignore);
  EXPECT_EQ(data_for(trained).treatment.edge_weights, EdgeWeights::ignore);
  EXPECT_TRUE(contains(error_of([&] { predict(trained, with_); }),
                       "was trained without edge weights, but 'customers' has "
                       "them; use --edge-weights ignore"));
  EXPECT_TRUE(torch::equal(predict(trained, ignored_).logits,
                           predict(trained, without_).logits));
  EXPECT_TRUE(contains(weight_remarks(trained, ignored_).at(0),
                       "the model was trained without edge weights"));
  EXPECT_TRUE(weight_remarks(trained, without_).empty());
}

TEST_F(TrainedWithWeights, AModelThatReadsNoneTakesAnyData) {
  const Trained trained = saved_and_loaded(with_, "mlp");
  EXPECT_EQ(error_of([&] { predict(trained, without_); }), "");
  EXPECT_EQ(error_of([&] { predict(trained, with_); }), "");
  EXPECT_TRUE(weight_remarks(trained, without_).empty());
}

TEST(WeightRemarks, NameModelsThatReadNone) {
  RunOptions options = weighted_run("mlp");
  const NodeDataset data = customers();
  ASSERT_EQ(weight_remarks(options, data).size(), 1u);
  EXPECT_TRUE(contains(weight_remarks(options, data)[0],
                       "every edge of 'customers' counts the same: mlp reads "
                       "no edge weights; ordered_gnn"));
  options.correct_smooth.enabled = true;
  EXPECT_TRUE(contains(weight_remarks(options, data)[0],
                       "read by Correct & Smooth alone"));
  EXPECT_TRUE(weight_remarks(weighted_run("gcn"), data).empty());
  EXPECT_TRUE(weight_remarks(options, customers(EdgeWeights::ignore)).empty());
}

TEST(WeightRemarks, SixteenBitsAreRefusedWhereWeightsAreRead) {
  ExecutionOptions execution;
  execution.math = Math::bf16;
  EXPECT_TRUE(contains(
      error_of([&] {
        require_math_for_weights(weighted_run(), execution, customers());
      }),
      "--math bf16 takes no edge weights, and 'customers' has them"));
  require_math_for_weights(weighted_run("mlp"), execution, customers());
  require_math_for_weights(weighted_run(), execution,
                           customers(EdgeWeights::ignore));
  require_math_for_weights(weighted_run(), {}, customers());
}

TEST(RunIdentity, KnowsRunsOfVersionsWithoutEdgeWeights) {
  RunOptions options;
  EXPECT_FALSE(run_identity(options, "f").contains("edge-weights"));
  options.data.treatment.edge_weights = EdgeWeights::ignore;
  EXPECT_EQ(run_identity(options, "f").at("edge-weights"), "ignore");
}

}  // namespace
}  // namespace ordered_gnn::training
