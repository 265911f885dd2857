#include "train/train_step.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <cmath>

#include "core/affixes.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "support/datasets.h"

namespace ordered_gnn::training {
namespace {

using NamedTensors = std::map<std::string, at::Tensor>;

class TrainStepTest : public testing::Test {
 protected:
  TrainStepTest() {
    options_.network.mlp_layers = 2;
    options_.network.dropout_theta = 0.3;
    options_.network.dropout_xi = 0.2;
  }

  std::shared_ptr<NodeModel> new_model() const {
    return create_model(options_.model,
                        {data_.features.num_features(), data_.num_classes,
                         data_.features.kind()},
                        options_.network, /*seed=*/5);
  }

  TrainStep step_of(NodeModel& model) const {
    return TrainStep(model, data_, data_.splits[0], options_.train);
  }

  // Parameters of a new model after a few steps.
  NamedTensors trained(bool fused = true) const {
    const std::shared_ptr<NodeModel> model = new_model();
    TrainStep step = step_of(*model);
    step.set_fused(fused);
    for (int64_t epoch = 1; epoch <= 3; ++epoch) {
      EXPECT_TRUE(std::isfinite(step.run(epoch, 0.01)));
    }
    return copies_of(*model);
  }

  static NamedTensors copies_of(const NodeModel& model) {
    NamedTensors out;
    for (const auto& item : model.named_parameters()) {
      out[item.key()] = item.value().detach().clone();
    }
    return out;
  }

  static NamedTensors gradients_of(const NodeModel& model) {
    NamedTensors out;
    for (const auto& item : model.named_parameters()) {
      if (item.value().grad().defined()) {
        out[item.key()] = item.value().grad().clone();
      }
    }
    return out;
  }

  static bool are_equal(const NamedTensors& a, const NamedTensors& b) {
    if (a.size() != b.size()) return false;
    for (const auto& [name, tensor] : a) {
      if (!torch::equal(tensor, b.at(name))) return false;
    }
    return true;
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
};

TEST_F(TrainStepTest, ReturnsTheLossBeforeTheUpdate) {
  const std::shared_ptr<NodeModel> model = new_model();
  const at::Tensor nodes = data_.splits[0].train;
  const at::Tensor logits =
      model->forward(data_.graph, data_.features,
                     {/*training=*/true, options_.train.seed, /*step=*/7});
  const double expected =
      torch::nn::functional::cross_entropy(logits.index_select(0, nodes),
                                           data_.labels.index_select(0, nodes))
          .item<double>();
  const NamedTensors before = copies_of(*model);
  EXPECT_EQ(step_of(*model).run(7, 0.01), expected);
  EXPECT_FALSE(are_equal(copies_of(*model), before));
}

TEST_F(TrainStepTest, TheLossFalls) {
  const std::shared_ptr<NodeModel> model = new_model();
  TrainStep step = step_of(*model);
  const double first = step.run(1, 0.01);
  double last = first;
  for (int64_t epoch = 2; epoch <= 30; ++epoch) last = step.run(epoch, 0.01);
  EXPECT_LT(last, 0.8 * first);
}

TEST_F(TrainStepTest, FrozenInputNormsHaveNeitherGradientNorMoments) {
  for (const InputNorm kind :
       {InputNorm::frozen, InputNorm::no_decay, InputNorm::decay}) {
    options_.train.input_norm = kind;
    const bool frozen = kind == InputNorm::frozen;
    const std::shared_ptr<NodeModel> model = new_model();
    const NamedTensors before = copies_of(*model);
    TrainStep step = step_of(*model);
    step.run(1, 0.01);
    const NamedTensors moments = step.optimizer().state();
    int64_t norms = 0;
    for (const auto& item : model->named_parameters()) {
      const bool is_norm = core::starts_with(item.key(), "input_norm.");
      norms += is_norm;
      const bool trained = !is_norm || !frozen;
      SCOPED_TRACE(item.key() + " " + to_string(kind));
      EXPECT_EQ(item.value().requires_grad(), trained);
      EXPECT_EQ(item.value().grad().defined(), trained);
      EXPECT_EQ(moments.count("m." + item.key()), trained ? 1u : 0u);
      EXPECT_EQ(torch::equal(item.value(), before.at(item.key())), !trained);
    }
    EXPECT_EQ(norms, 4);
  }
}

TEST_F(TrainStepTest, ALossThatIsNotFiniteChangesNothing) {
  const std::shared_ptr<NodeModel> model = new_model();
  TrainStep step = step_of(*model);
  step.run(1, 0.01);
  const NamedTensors parameters = copies_of(*model);
  NamedTensors moments;
  for (const auto& [name, tensor] : step.optimizer().state()) {
    moments[name] = tensor.clone();
  }
  // Finite features whose sums overflow.
  const NodeFeatures good = data_.features;
  data_.features =
      NodeFeatures::dense(torch::full({data_.num_nodes(), 8}, 3e38));
  EXPECT_FALSE(std::isfinite(step.run(2, 0.01)));
  EXPECT_TRUE(are_equal(copies_of(*model), parameters));
  EXPECT_TRUE(are_equal(step.optimizer().state(), moments));
  EXPECT_EQ(step.optimizer().steps(), 1);
  data_.features = good;
  EXPECT_TRUE(std::isfinite(step.run(3, 0.01)));
  EXPECT_FALSE(are_equal(copies_of(*model), parameters));
}

TEST_F(TrainStepTest, TheSeedFixesEveryBit) {
  const NamedTensors once = trained();
  EXPECT_TRUE(are_equal(trained(), once));
  // The seed of dropout; the model starts from the same parameters.
  ++options_.train.seed;
  EXPECT_FALSE(are_equal(trained(), once));
}

TEST_F(TrainStepTest, OneOpAfterTheOtherTrainsToNearlyTheSame) {
  const NamedTensors fused = trained(true);
  const NamedTensors composed = trained(false);
  for (const auto& [name, tensor] : fused) {
    EXPECT_TRUE(torch::allclose(tensor, composed.at(name), 1e-3, 1e-4)) << name;
  }
}

TEST_F(TrainStepTest, RecomputedLayersTrainToTheSameBits) {
  options_.network.layers = 6;
  const NamedTensors kept = trained();
  options_.train.checkpoint_layers = true;
  EXPECT_TRUE(are_equal(trained(), kept));
}

TEST_F(TrainStepTest, UnlabelledTrainingNodesDoNotCount) {
  data_.labels = data_.labels.clone();
  const at::Tensor train = data_.splits[0].train;
  data_.labels.index_fill_(0, train.slice(0, 0, 3), -1);
  const NamedTensors unlabelled = trained();
  data_.splits[0].train = train.slice(0, 3);
  EXPECT_TRUE(are_equal(trained(), unlabelled));
}

TEST_F(TrainStepTest, DroppedEdgesAreDrawnAnewInEveryStep) {
  const std::shared_ptr<NodeModel> model = new_model();
  options_.train.drop_edge = 0.4;
  TrainStep step = step_of(*model);
  const auto loss_on = [&](const Graph& graph, int64_t epoch) {
    const at::Tensor nodes = data_.splits[0].train;
    return torch::nn::functional::cross_entropy(
               model
                   ->forward(graph, data_.features,
                             {true, options_.train.seed, epoch})
                   .index_select(0, nodes),
               data_.labels.index_select(0, nodes))
        .item<double>();
  };
  for (const int64_t epoch : {1, 2}) {
    const Graph thinned =
        drop_edges(data_.graph, 0.4, {options_.train.seed, epoch, 0xFFFE});
    const double loss = step.loss(epoch).item<double>();
    EXPECT_FLOAT_EQ(loss, loss_on(thinned, epoch));
    EXPECT_NE(loss, loss_on(data_.graph, epoch));
  }
}

// The loss of the first step by LibTorch, from the logits of a pass of its own.
TEST_F(TrainStepTest, ClassWeightsAreThoseOfThePlainComposition) {
  options_.network.dropout_theta = options_.network.dropout_xi = 0;
  const at::Tensor nodes = data_.splits[0].train;
  const at::Tensor labels = data_.labels.index_select(0, nodes);
  const at::Tensor counts = at::bincount(labels, {}, data_.num_classes);
  const at::Tensor balanced =
      labels.numel() / (static_cast<double>(data_.num_classes) * counts);
  const at::Tensor named = torch::tensor({1.f, 2.5f, 0.25f});
  for (const auto& [text, weights] :
       {std::pair<std::string, at::Tensor>("balanced", balanced),
        std::pair<std::string, at::Tensor>("1:2.5,2:0.25", named)}) {
    SCOPED_TRACE(text);
    options_.train.class_weights = text;
    for (const bool fused : {true, false}) {
      const std::shared_ptr<NodeModel> model = new_model();
      TrainStep step = step_of(*model);
      step.set_fused(fused);
      const at::Tensor loss = step.loss(1);
      step.backward(loss);
      const NamedTensors got = gradients_of(*model);
      const std::shared_ptr<NodeModel> other = new_model();
      TrainStep frozen = step_of(*other);  // its norms need no gradients
      namespace nnf = torch::nn::functional;
      const at::Tensor expected = nnf::cross_entropy(
          other->forward(data_.graph, data_.features, ForwardContext{})
              .index_select(0, nodes),
          labels,
          nnf::CrossEntropyFuncOptions().weight(weights.to(at::kFloat)));
      expected.backward();
      EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-5);
      for (const auto& [name, gradient] : gradients_of(*other)) {
        EXPECT_TRUE(torch::allclose(got.at(name), gradient, 1e-3, 1e-5))
            << name;
      }
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::training
