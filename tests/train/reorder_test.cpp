// Nodes in another order in memory: whatever comes out is in that of the data.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/data/node_order.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/node_prediction.h"
#include "ordered_gnn/train/prediction.h"
#include "support/errors.h"
#include "train/trainer_test.h"

namespace ordered_gnn::training {
namespace {

using ReorderedRun = TrainerTest;

void expect_close(const at::Tensor& a, const at::Tensor& b) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(torch::allclose(a, b, 1e-4, 1e-5))
      << (a - b).abs().max().item<float>();
}

TEST_F(ReorderedRun, PredictionsAreInTheOrderOfTheData) {
  const Trained trained = train(data_, 0, options_);
  PredictionOptions asked = prediction_options(trained);
  asked.embeddings = asked.gates = true;
  const Prediction plain = predict(trained, data_, asked);
  for (const NodeOrder order : {NodeOrder::degree, NodeOrder::rcm}) {
    asked.execution.reorder = order;
    const Prediction moved = predict(trained, data_, asked);
    expect_close(moved.logits, plain.logits);
    expect_close(moved.embeddings, plain.embeddings);
    ASSERT_EQ(moved.gates.size(), plain.gates.size());
    for (size_t k = 0; k < plain.gates.size(); ++k) {
      expect_close(moved.gates[k], plain.gates[k]);
    }
    EXPECT_TRUE(torch::equal(moved.labels, plain.labels));
  }
}

TEST_F(ReorderedRun, TakesDataThatWasReorderedByItsCaller) {
  const Trained trained = train(data_, 0, options_);
  const at::Tensor order = torch::arange(data_.num_nodes(), at::kLong).flip(0);
  expect_close(predict(trained, reordered(data_, order)).logits,
               predict(trained, data_).logits);
  EXPECT_TRUE(
      contains(error_of([&] { train(reordered(data_, order), 0, options_); }),
               "has been reordered"));
}

// Numbers of nodes that are given, and rows of parameters, are those of the
// data as it was loaded.
TEST_F(ReorderedRun, RefusesReorderedDataWhereNumbersOfNodesCount) {
  const Trained trained = train(data_, 0, options_);
  const at::Tensor order = torch::arange(data_.num_nodes(), at::kLong).flip(0);
  const NodeDataset moved = reordered(data_, order);
  // So many that all of the graph is computed.
  EXPECT_TRUE(
      contains(error_of([&] { predict_nodes(trained, moved, order); }),
               "predict_nodes: '" + data_.name + "' has been reordered"));
  EXPECT_TRUE(contains(error_of([&] {
                         predict_added(trained, moved, AddedNodes{},
                                       AddedRows::new_nodes);
                       }),
                       "predict_added: '"));
  RunOptions linkx = short_run("linkx", 2);
  linkx.data = options_.data;
  const Trained per_node = train(data_, 0, linkx);
  EXPECT_EQ(predict(per_node, data_).labels.numel(), data_.num_nodes());
  EXPECT_TRUE(contains(error_of([&] { predict(per_node, moved); }),
                       "predict: '" + data_.name + "' has been reordered"));
}

// Some nodes of the data are computed in an order of the part's own.
TEST_F(ReorderedRun, SomeNodesKeepTheirRows) {
  const Trained trained = train(data_, 0, options_);
  const at::Tensor nodes = torch::tensor({5, 2, 40}, at::kLong);
  PredictionOptions asked = prediction_options(trained);
  const Prediction plain =
      predict_nodes(trained, data_, nodes, asked).prediction;
  asked.execution.reorder = NodeOrder::rcm;
  expect_close(predict_nodes(trained, data_, nodes, asked).prediction.logits,
               plain.logits);
}

// The scores of a run are those of its model on the data as it is.
TEST_F(ReorderedRun, ScoresAreThoseOfTheData) {
  for (const char* features : {"raw", "identity"}) {
    options_.data.treatment.features = parse_feature_treatment(features);
    data_ = load_dataset(options_.data);
    options_.execution.reorder = NodeOrder::rcm;
    const Trained trained = train(data_, 1, options_);
    EXPECT_EQ(trained.options.execution.reorder, NodeOrder::rcm);
    PredictionOptions asked = prediction_options(trained);
    asked.execution.reorder = NodeOrder::none;
    const at::Tensor logits = predict(trained, data_, asked).logits;
    const Scores val = score_nodes(logits, data_.labels, data_.splits[1].val);
    EXPECT_NEAR(val.accuracy, trained.result.val.accuracy, 1e-9) << features;
    EXPECT_NEAR(val.log_loss, trained.result.val.log_loss, 1e-4) << features;
  }
}

TEST_F(ReorderedRun, WithoutDropoutItLearnsTheSame) {
  options_.network.dropout_theta = options_.network.dropout_xi = 0;
  options_.train.epochs = 5;
  const Trained plain = train(data_, 0, options_);
  options_.execution.reorder = NodeOrder::degree;
  const Trained moved = train(data_, 0, options_);
  expect_close(predict(moved, data_).logits, predict(plain, data_).logits);
}

TEST_F(ReorderedRun, GoesOnInItsOrderAlone) {
  options_.execution.reorder = NodeOrder::rcm;
  train(data_, 0, options_, hooks("whole"));
  train_until("stopped", 2);
  train(data_, 0, options_, hooks("stopped", true));
  expect_same_bits(saved("whole"), saved("stopped"));
  options_.execution.reorder = NodeOrder::none;
  EXPECT_TRUE(contains(
      error_of([&] { train(data_, 0, options_, hooks("whole", true)); }),
      "other settings"));
}

TEST_F(ReorderedRun, IsRefusedWhereParametersBelongToNodes) {
  options_.execution.reorder = NodeOrder::degree;
  options_.model = "linkx";
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, options_); }),
                       "has parameters for every node"));
  options_.model = "ordered_gnn";
  options_.execution.reorder = NodeOrder::metis;
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, options_); }), "METIS"));
}

}  // namespace
}  // namespace ordered_gnn::training
