// The kinds of numbers that a GPU computes with: results are close to those of
// fp32, and different enough to show that the option acts.
#include "cuda/training_support.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"

namespace ordered_gnn {
namespace {

class CudaMath : public CudaTrainingTest {
 protected:
  TrainedRun train_with(const std::string& math) {
    options_.execution.math = parse_math(math);
    return train(data_, options_);
  }

  std::shared_ptr<NodeModel> model_for(const NodeDataset& data) const {
    return create_model(
        options_.model,
        {data.features.num_features(), data.num_classes, data.features.kind()},
        options_.network, /*seed=*/5);
  }

  Prediction prediction_on(at::Device device, at::ScalarType type) const {
    const NodeDataset data = to_device(data_, device, type);
    const auto model = model_for(data);
    model->to(device);
    PredictionOptions all;
    all.embeddings = all.gates = true;
    return predict(*model, data, all);
  }

  void expect_close(const Prediction& got, const Prediction& expected,
                    double tolerance) {
    const auto close = [&](const at::Tensor& a, const at::Tensor& b) {
      EXPECT_TRUE(a.is_cpu());
      EXPECT_TRUE(within(a, b, tolerance, tolerance));
    };
    close(got.logits, expected.logits);
    close(got.probabilities, expected.probabilities);
    close(got.embeddings, expected.embeddings);
    ASSERT_EQ(got.gates.size(), expected.gates.size());
    for (size_t i = 0; i < got.gates.size(); ++i) {
      SCOPED_TRACE("gate " + std::to_string(i));
      close(got.gates[i], expected.gates[i]);
    }
  }
};

TEST_F(CudaMath, EveryKindLearnsAsWell) {
  options_.data.data =
      "synthetic:csbm?nodes=3000&classes=4&features=64&degree=8&homophily=0.8"
      "&signal=2&splits=1&seed=3";
  data_ = load_dataset(options_.data);
  options_.train.epochs = options_.train.patience = 60;
  for (const int64_t hidden : {64, 256}) {
    SCOPED_TRACE(hidden);
    options_.network.hidden = hidden;
    const TrainedRun exact = train_with("fp32");
    EXPECT_GT(exact.result.test.accuracy, 0.8);
    for (const char* math : {"tf32", "bf16"}) {
      SCOPED_TRACE(math);
      const TrainedRun got = train_with(math);
      EXPECT_NEAR(got.result.test.accuracy, exact.result.test.accuracy, 0.03);
      EXPECT_NEAR(got.losses().front(), exact.losses().front(), 5e-2);
      EXPECT_NE(got.losses().front(), exact.losses().front());
      EXPECT_EQ(train_with(math).losses(), got.losses());
    }
    // What one run asks for does not stay with the next.
    EXPECT_EQ(train_with("fp32").losses(), exact.losses());
  }
}

TEST_F(CudaMath, BFloat16TakesEveryKindOfFeaturesAndModel) {
  const auto expect_losses_of_fp32 = [&](const std::string& name) {
    SCOPED_TRACE(name);
    data_ = load_dataset(options_.data);
    const std::vector<double> expected = train_with("fp32").losses();
    const std::vector<double> got = train_with("bf16").losses();
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], expected[i], 0.1) << "epoch " << i + 1;
    }
  };
  expect_losses_of_fp32("dense");
  options_.data.treatment.features = Treatment::Features::identity;
  expect_losses_of_fp32("identity");
  options_.data.treatment.features.reset();
  options_.data.data =
      "synthetic:csbm?nodes=90&classes=3&features=400&sparse=true&density=0.02";
  expect_losses_of_fp32("sparse");
  options_.model = "mlp";
  expect_losses_of_fp32("mlp");
  options_.model = "ordered_gnn";
  options_.network.mlp_layers = 2;
  options_.network.layers = 6;
  options_.train.checkpoint_layers = true;
  expect_losses_of_fp32("layers computed again");
}

TEST_F(CudaMath, ExtendedLayersTakeEveryKind) {
  options_.train.epochs = options_.train.patience = 6;
  OrderedGnnOptions& network = options_.network;
  network.transform = Transform::linear;
  const auto expect_losses_of_fp32 = [&](const std::string& name) {
    SCOPED_TRACE(name);
    const std::vector<double> expected = train_with("fp32").losses();
    for (const char* math : {"tf32", "bf16"}) {
      SCOPED_TRACE(math);
      const std::vector<double> got = train_with(math).losses();
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_NEAR(got[i], expected[i], 0.1) << "epoch " << i + 1;
      }
    }
  };
  for (const Norm candidate : {Norm::layer, Norm::batch, Norm::none}) {
    for (const Norm norm : {Norm::layer, Norm::batch}) {
      network.candidate_norm = candidate;
      network.norm = norm;
      expect_losses_of_fp32(to_string(candidate) + " " + to_string(norm));
    }
  }
  network.norm = network.candidate_norm = Norm::layer;
  for (const Gating gating : {Gating::ordered, Gating::simple, Gating::none}) {
    network.gating = gating;
    expect_losses_of_fp32(to_string(gating));
  }
  network.gating = Gating::softor;
  for (const Aggregator aggregator : {Aggregator::gcn, Aggregator::max,
                                      Aggregator::gat, Aggregator::signed_}) {
    network.aggregator = aggregator;
    expect_losses_of_fp32(to_string(aggregator));
  }
  network.aggregator = Aggregator::mean;
  network.first_state = FirstState::heard;
  expect_losses_of_fp32("heard");
  network.node_ids = NodeIds::adjacency;
  expect_losses_of_fp32("node ids");
}

TEST_F(CudaMath, PredictionsAreThoseOfTheCpu) {
  for (const int64_t hidden : {16, 256}) {
    SCOPED_TRACE(hidden);
    options_.network.hidden = hidden;
    const Prediction expected = prediction_on(at::kCPU, at::kFloat);
    expect_close(prediction_on(at::kCUDA, at::kFloat), expected, 1e-4);
    expect_close(prediction_on(at::kCUDA, at::kBFloat16), expected, 5e-2);
  }
}

}  // namespace
}  // namespace ordered_gnn
