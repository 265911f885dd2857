// Layers that backward computes again give every bit of layers that were kept.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include "core/affixes.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/graphs.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// Below, at and above the bounds of the runs of layers: 4 and 16.
constexpr int64_t kDepths[] = {1, 3, 4, 5, 8, 17, 20};

const ModelShape kShape{5, 3, NodeFeatures::Kind::dense, 60};

enum class GradientsBy { backward, grad };

OrderedGnnOptions deep_options(int64_t layers) {
  OrderedGnnOptions options;
  options.layers = layers;
  options.hidden = 12;
  options.chunk = 3;
  options.dropout_theta = 0.3;
  options.dropout_xi = 0.2;
  return options;
}

class CheckpointLayers : public testing::Test {
 protected:
  // The loss and then the gradient of every parameter.
  std::vector<at::Tensor> results_of(const OrderedGnnOptions& options,
                                     bool checkpoint, GradientsBy by) {
    OrderedGnn model(kShape, options, /*seed=*/2);
    ForwardContext context{/*training=*/true, /*seed=*/4, /*step=*/6};
    context.checkpoint_layers = checkpoint;
    const at::Tensor loss = torch::nn::functional::cross_entropy(
        model.forward(graph_, features_, context), labels_);
    std::vector<at::Tensor> results = {loss.detach()};
    if (by == GradientsBy::backward) {
      loss.backward();
      for (const at::Tensor& parameter : model.parameters()) {
        results.push_back(parameter.grad());
      }
    } else {
      for (const at::Tensor& gradient : torch::autograd::grad(
               {loss}, model.parameters(), /*grad_outputs=*/{},
               /*retain_graph=*/false, /*create_graph=*/false,
               /*allow_unused=*/true)) {
        results.push_back(gradient);
      }
    }
    return results;
  }

  // A tied gate's gradient is summed over the layers of a run and then over
  // runs, in another order than over all layers: to rounding it is the same.
  void expect_same_bits_as_kept(const OrderedGnnOptions& options) {
    for (const GradientsBy by : {GradientsBy::backward, GradientsBy::grad}) {
      const std::vector<at::Tensor> kept = results_of(options, false, by);
      const std::vector<at::Tensor> again = results_of(options, true, by);
      ASSERT_EQ(kept.size(), again.size());
      const auto names =
          OrderedGnn(kShape, options, /*seed=*/2).named_parameters().keys();
      for (size_t i = 0; i < kept.size(); ++i) {
        const std::string name = i == 0 ? "loss" : names[i - 1];
        ASSERT_EQ(kept[i].defined(), again[i].defined()) << name;
        if (!kept[i].defined()) continue;
        EXPECT_TRUE(core::starts_with(name, "gate.")
                        ? torch::allclose(kept[i], again[i], 1e-5, 1e-7)
                        : torch::equal(kept[i], again[i]))
            << name << " of " << options.layers << " layers differs by "
            << (kept[i] - again[i]).abs().max().item<double>();
      }
    }
  }

  Graph graph_ = random_graph(60, 250, 9);
  NodeFeatures features_ =
      NodeFeatures::dense(random_tensor({60, 5}, at::kFloat, 19));
  at::Tensor labels_ = torch::arange(60, at::kLong).remainder(3);
};

TEST_F(CheckpointLayers, GiveTheSameBitsAtEveryDepth) {
  for (const int64_t layers : kDepths) {
    expect_same_bits_as_kept(deep_options(layers));
  }
}

TEST_F(CheckpointLayers, AgreeToRoundingInTiedGates) {
  for (const int64_t layers : kDepths) {
    OrderedGnnOptions options = deep_options(layers);
    options.tied_gates = true;
    expect_same_bits_as_kept(options);
  }
}

TEST_F(CheckpointLayers, GiveTheSameBitsWhereLayersAreNotFused) {
  for (const Gating gating : {Gating::none, Gating::simple, Gating::softor}) {
    for (const Aggregator aggregator : {Aggregator::gat, Aggregator::max}) {
      for (const Norm norm : {Norm::none, Norm::batch, Norm::layer}) {
        OrderedGnnOptions options = deep_options(9);
        options.gating = gating;
        options.aggregator = aggregator;
        options.norm = norm;
        options.residual = true;
        SCOPED_TRACE(to_string(gating) + " " + to_string(aggregator) + " " +
                     to_string(norm));
        expect_same_bits_as_kept(options);
      }
    }
  }
}

TEST_F(CheckpointLayers, GiveTheSameBitsWithATransform) {
  for (const Norm norm : {Norm::none, Norm::batch, Norm::layer}) {
    OrderedGnnOptions options = deep_options(9);
    options.transform = Transform::linear;
    options.candidate_norm = norm;
    SCOPED_TRACE(to_string(norm));
    expect_same_bits_as_kept(options);
  }
}

TEST_F(CheckpointLayers, GiveTheSameBitsWithDirectionsAndNodeIds) {
  for (const Transform transform : {Transform::none, Transform::linear}) {
    OrderedGnnOptions options = deep_options(9);
    options.transform = transform;
    options.directions = Directions::split;
    options.node_ids = NodeIds::adjacency;
    SCOPED_TRACE(to_string(transform));
    expect_same_bits_as_kept(options);
  }
}

TEST_F(CheckpointLayers, CountBatchStatisticsOnce) {
  OrderedGnnOptions options = deep_options(9);
  options.norm = Norm::batch;
  const auto running_mean = [&](bool checkpoint) {
    OrderedGnn model({5, 3}, options, /*seed=*/2);
    ForwardContext context{/*training=*/true, /*seed=*/4, /*step=*/6};
    context.checkpoint_layers = checkpoint;
    model.forward(graph_, features_, context).sum().backward();
    return model.named_buffers()["layers.0.norm.running_mean"];
  };
  EXPECT_TRUE(torch::equal(running_mean(true), running_mean(false)));
}

TEST_F(CheckpointLayers, MayBeEvaluatedAndTraced) {
  OrderedGnn model({5, 3}, deep_options(9), /*seed=*/2);
  ForwardContext context;
  const at::Tensor expected = model.forward(graph_, features_, context);
  context.checkpoint_layers = true;
  ForwardTrace trace;
  EXPECT_TRUE(torch::equal(model.forward(graph_, features_, context, &trace),
                           expected));
  EXPECT_EQ(trace.gates.size(), 9u);
  const torch::NoGradGuard no_grad;
  const at::Tensor logits = model.forward(graph_, features_, context);
  EXPECT_TRUE(torch::equal(logits, expected));
  EXPECT_FALSE(logits.requires_grad());
}

TEST_F(CheckpointLayers, KeepTheGraphUntilBackward) {
  OrderedGnn model({5, 3}, deep_options(9), /*seed=*/2);
  ForwardContext context{/*training=*/true, /*seed=*/4, /*step=*/6};
  const auto gradient_of = [&](bool checkpoint) {
    model.zero_grad();
    context.checkpoint_layers = checkpoint;
    auto graph = std::make_unique<Graph>(graph_);
    const at::Tensor total = model.forward(*graph, features_, context).sum();
    // Another graph takes its place.
    *graph = random_graph(60, 100, 33);
    total.backward();
    return model.named_parameters()["layers.0.gate.weight"].grad().clone();
  };
  EXPECT_TRUE(torch::equal(gradient_of(true), gradient_of(false)));
}

}  // namespace
}  // namespace ordered_gnn::nn
