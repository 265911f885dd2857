#include "train/neighbor_step.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>

#include "core/io/file.h"
#include "ordered_gnn/nn/models.h"
#include "support/errors.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

using Gradients = std::map<std::string, at::Tensor>;

Gradients gradients_of(const NodeModel& model) {
  Gradients out;
  for (const auto& item : model.named_parameters()) {
    if (item.value().grad().defined()) {
      out[item.key()] = item.value().grad().clone();
    }
  }
  return out;
}

class NeighborStepTest : public TrainerTest {
 protected:
  NeighborStepTest() {
    options_.network.dropout_theta = 0.3;
    options_.network.dropout_xi = 0.2;
    options_.network.layers = 2;
    options_.train.batch = "neighbors:all:all,all";
  }

  // Loss and gradients of a batch of all training nodes, and of a step on the
  // whole graph, are the same.
  void expect_exact() {
    validate(options_);
    const std::shared_ptr<NodeModel> a = model_for(data_, options_);
    const std::shared_ptr<NodeModel> b = model_for(data_, options_);
    TrainStep whole(*a, data_, data_.splits[0], options_.train);
    NeighborStep batch(*b, data_, data_.splits[0], options_);
    const at::Tensor expected = whole.loss(4);
    whole.backward(expected);
    const int64_t count = training_labels(data_, data_.splits[0]).nodes.numel();
    std::vector<int64_t> all(count);
    std::iota(all.begin(), all.end(), 0);
    const at::Tensor loss = batch.batch_loss(all, /*epoch=*/4, /*batch=*/0);
    batch.backward(loss);
    EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-6);
    const Gradients other = gradients_of(*b);
    for (const auto& [name, gradient] : gradients_of(*a)) {
      EXPECT_TRUE(torch::allclose(other.at(name), gradient, 1e-5, 1e-6))
          << name;
    }
  }

  std::string refusal(const std::string& batch) {
    options_.train.batch = batch;
    return error_of([&] { validate(options_); });
  }
};

TEST_F(NeighborStepTest, AllNeighboursOfAllGiveTheStepOfTheWholeGraph) {
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum}) {
    options_.network.aggregator = aggregator;
    expect_exact();
  }
  options_.network.layers = 3;
  options_.train.batch = "neighbors:all:all,all,all";
  options_.train.class_weights = "balanced";
  expect_exact();
}

TEST_F(NeighborStepTest, OtherModelsThatAreSampledDoToo) {
  for (const char* model : {"gcn", "graphsage"}) {
    options_ = short_run(model, 3);
    options_.network.layers = 2;
    options_.train.batch = "neighbors:all:all,all";
    expect_exact();
  }
}

TEST_F(NeighborStepTest, TheNumberOfThreadsDoesNotShow) {
  options_.train.batch = "neighbors:7:3,2";
  options_.train.epochs = 4;
  for (const int64_t threads : {1, 2, 3}) {
    options_.execution.threads = threads;
    train_split(data_, 0, options_, hooks(std::to_string(threads)));
  }
  expect_same_bits(saved("1"), saved("2"));
  expect_same_bits(saved("1"), saved("3"));
}

TEST_F(NeighborStepTest, AStoppedRunGoesOnToTheSameBits) {
  options_.train.batch = "neighbors:7:3,2";
  options_.train.epochs = 8;
  options_.train.patience = 8;
  train_split(data_, 0, options_, hooks("whole"));
  train_until("cut", 3);
  train_split(data_, 0, options_, hooks("cut", /*resume=*/true));
  expect_same_bits(saved("whole"), saved("cut"));
  EXPECT_EQ(core::read_file(dir_ / "whole" / "metrics.jsonl"),
            core::read_file(dir_ / "cut" / "metrics.jsonl"));
}

TEST_F(NeighborStepTest, EveryTrainingNodeIsInOneStepOfAnEpoch) {
  options_.train.batch = "neighbors:7:3,2";
  const std::shared_ptr<NodeModel> model = model_for(data_, options_);
  NeighborStep step(*model, data_, data_.splits[0], options_);
  const int64_t count = training_labels(data_, data_.splits[0]).nodes.numel();
  step.run(1, 0.01);
  EXPECT_EQ(step.optimizer().steps(), (count + 6) / 7);
  EXPECT_EQ(step.updates_of(5), 5 * ((count + 6) / 7));
}

TEST_F(NeighborStepTest, LearnsFromSamples) {
  options_.train.batch = "neighbors:8:2,2";
  options_.train.epochs = 30;
  options_.train.patience = 30;
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum}) {
    options_.network.aggregator = aggregator;
    const RunResult result = train_split(data_, 0, options_, {});
    EXPECT_GT(result.train.accuracy, 0.6) << to_string(aggregator);
  }
}

TEST_F(NeighborStepTest, RefusesManyLayersWithTheNumberOfNodes) {
  options_.network.layers = 8;
  const std::string error = refusal("neighbors:512:10,10");
  EXPECT_TRUE(contains(error, "a step of 8 layers would hear about 5.12e+10"));
  EXPECT_TRUE(contains(error, "at most 3 layers"));
  EXPECT_TRUE(contains(error, "--batch parts:N"));
  EXPECT_TRUE(contains(refusal("neighbors:512:all"), "on the whole graph"));
}

TEST_F(NeighborStepTest, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(contains(refusal("neighbors:512:10"), "1 fan-out for 2 layers"));
  for (const char* text :
       {"neighbors", "neighbors:5", "neighbors:0:3,3", "neighbors:5:3,",
        "neighbors:5:-1,2", "neighbors:x:3,3", "neighbors:5:99999999999,2"}) {
    EXPECT_TRUE(contains(refusal(text), "neighbors:512:10,10")) << text;
  }
  options_.train.drop_edge = 0.5;
  EXPECT_TRUE(contains(refusal("neighbors:5:3,3"), "--drop-edge"));
  options_.train.drop_edge = 0;
  for (const char* model : {"gat", "mlp", "appnp"}) {
    options_.model = model;
    EXPECT_TRUE(contains(refusal("neighbors:5:3,3"),
                         std::string(model) + " with these options is not "
                                              "trained on sampled neighbours"));
  }
  options_.model = "ordered_gnn";
  options_.network.aggregator = Aggregator::max;
  EXPECT_TRUE(contains(refusal("neighbors:5:3,3"), "mean, gcn and sum"));
}

TEST_F(NeighborStepTest, IsPartOfWhatARunIs) {
  RunOptions whole = options_;
  whole.train.batch = "whole";
  const Json sampled = run_identity(options_, "f");
  EXPECT_EQ(sampled.at("batch"), "neighbors:all:all,all");
  EXPECT_EQ(sampled.count("history"), 0U);
  EXPECT_EQ(run_identity(whole, "f").count("batch"), 0U);
}

TEST_F(NeighborStepTest, RefusesWeightsOfEdges) {
  NodeDataset weighted = data_;
  const at::Tensor ends = torch::tensor({{0, 1, 2}, {1, 2, 3}}, torch::kLong);
  GraphOptions graph;
  graph.weights = torch::ones({3});
  weighted.graph = Graph::from_edges(data_.num_nodes(), ends, graph);
  EXPECT_TRUE(
      contains(error_of([&] { train_split(weighted, 0, options_, {}); }),
               "--edge-weights ignore"));
}

}  // namespace
}  // namespace ordered_gnn::training
