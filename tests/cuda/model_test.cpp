// The whole model, its optimiser and training steps on the GPU against the CPU.
#include "cuda/cuda_support.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/models.h"
#include "support/datasets.h"
#include "train/adam.h"
#include "train/train_step.h"

namespace ordered_gnn {
namespace {

class CudaModel : public CudaTest {
 protected:
  CudaModel() : options_(tiny_run()), data_(load_dataset(options_.data)) {
    options_.network.mlp_layers = 2;
    options_.network.dropout_theta = 0.3;
    options_.network.dropout_xi = 0.2;
  }

  std::shared_ptr<NodeModel> model_on(at::Device device,
                                      at::ScalarType dtype) const {
    auto model = create_model(options_.model,
                              {data_.features.num_features(), data_.num_classes,
                               data_.features.kind()},
                              options_.network, /*seed=*/5);
    model->to(device, dtype);
    return model;
  }

  // Logits of a training pass, then all parameters' gradients.
  Tensors pass_on(at::Device device, at::ScalarType dtype, bool fused,
                  bool checkpoint) const {
    const auto model = model_on(device, dtype);
    const NodeDataset data = to_device(data_, device);
    ForwardContext context;
    context.training = true;
    context.seed = 3;
    context.step = 7;
    context.fused = fused;
    context.checkpoint_layers = checkpoint;
    const at::Tensor logits =
        model->forward(data.graph, data.features, context);
    logits.square().sum().backward();
    Tensors out = {logits.detach().cpu()};
    for (const at::Tensor& parameter : model->parameters()) {
      EXPECT_TRUE(parameter.grad().defined());
      if (parameter.grad().defined()) out.push_back(parameter.grad().cpu());
    }
    return out;
  }

  void expect_same_pass(bool fused, bool checkpoint) {
    for (const at::ScalarType dtype : {at::kDouble, at::kFloat}) {
      const Tensors expected =
          pass_on(at::kCPU, at::kDouble, fused, checkpoint);
      const Tensors got = pass_on(at::kCUDA, dtype, fused, checkpoint);
      const Tensors again = pass_on(at::kCUDA, dtype, fused, checkpoint);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(agrees(got[i], expected[i])) << "result " << i;
        EXPECT_TRUE(torch::equal(got[i], again[i]))
            << "result " << i << " changes from run to run";
      }
    }
  }

  RunOptions options_;
  NodeDataset data_;
};

TEST_F(CudaModel, PassesAgreeWithTheCpu) {
  expect_same_pass(/*fused=*/true, /*checkpoint=*/false);
  expect_same_pass(/*fused=*/false, /*checkpoint=*/false);
  options_.network.layers = 9;
  expect_same_pass(/*fused=*/true, /*checkpoint=*/true);
}

TEST_F(CudaModel, EveryAggregatorAndGatingAgrees) {
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum, Aggregator::max,
        Aggregator::gat, Aggregator::signed_}) {
    SCOPED_TRACE(to_string(aggregator));
    options_.network.aggregator = aggregator;
    expect_same_pass(/*fused=*/true, /*checkpoint=*/false);
  }
  options_.network.aggregator = Aggregator::mean;
  for (const Gating gating : {Gating::simple, Gating::ordered}) {
    SCOPED_TRACE(to_string(gating));
    options_.network.gating = gating;
    expect_same_pass(/*fused=*/true, /*checkpoint=*/false);
  }
}

TEST_F(CudaModel, AdamTakesTheStepsOfTheCpu) {
  // More tensors than one launch takes, one of them transposed, one empty.
  const auto run = [](at::Device device) {
    std::vector<training::Adam::Parameter> parameters;
    for (int i = 0; i < 150; ++i) {
      at::Tensor value =
          random_tensor({i == 3 ? 0 : 7 + 31 * i, 5}, at::kDouble, 100 + i)
              .to(device);
      if (i == 4) value = value.t();
      parameters.push_back({"p" + std::to_string(i),
                            value.detach().requires_grad_(),
                            i % 2 == 0 ? 0.0 : 5e-4,
                            /*first_step=*/i % 3 == 0 ? 2 : 1});
    }
    training::Adam adam(parameters);
    for (int step = 0; step < 3; ++step) {
      adam.zero_grad();
      at::Tensor total =
          torch::zeros({}, at::device(device).dtype(at::kDouble));
      for (const auto& parameter : parameters) {
        total = total + parameter.value.pow(3).sum();
      }
      total.backward();
      adam.step(0.01);
    }
    Tensors out;
    for (const auto& parameter : parameters) {
      out.push_back(parameter.value.detach().cpu());
    }
    return out;
  };
  const Tensors expected = run(at::kCPU), got = run(at::kCUDA);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(agrees(got[i], expected[i])) << "parameter " << i;
  }
}

TEST_F(CudaModel, TrainingFollowsTheCpu) {
  const auto losses = [&](at::Device device) {
    const auto model = model_on(device, at::kDouble);
    const NodeDataset data = to_device(data_, device);
    training::TrainStep step(*model, data, data.splits[0], options_.train);
    std::vector<double> out;
    for (int64_t epoch = 1; epoch <= 10; ++epoch) {
      out.push_back(step.run(epoch, 0.01));
    }
    return out;
  };
  const std::vector<double> expected = losses(at::kCPU);
  const std::vector<double> got = losses(at::kCUDA);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-7) << "epoch " << i + 1;
  }
}

}  // namespace
}  // namespace ordered_gnn
