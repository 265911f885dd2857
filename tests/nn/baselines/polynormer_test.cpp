#include <gtest/gtest.h>

#include "nn/dense_reference.h"
#include "ordered_gnn/core/error.h"
#include "support/errors.h"

namespace ordered_gnn::nn {
namespace {

ModelOptions small_polynormer(int64_t local_epochs) {
  ModelOptions options;
  options.layers = 2;
  options.global_layers = 2;
  options.hidden = 6;
  options.heads = 2;
  options.local_epochs = local_epochs;
  options.dropout_theta = options.dropout_xi = 0;
  return options;
}

// Attention of every head over the neighbours, node by node.
at::Tensor dense_attention(const NodeModel& model, const std::string& name,
                           const at::Tensor& in, const at::Tensor& x) {
  const at::Tensor z = x.matmul(parameter_of(model, name + ".weight").t());
  const at::Tensor source = parameter_of(model, name + ".source");
  const at::Tensor target = parameter_of(model, name + ".target");
  std::vector<at::Tensor> heads;
  for (int64_t i = 0; i < 2; ++i) {
    const at::Tensor part = z.narrow(1, 3 * i, 3);
    const at::Tensor scores =
        at::leaky_relu(part.matmul(source[i]).unsqueeze(0) +
                           part.matmul(target[i]).unsqueeze(1),
                       0.2)
            .exp() *
        in;
    heads.push_back((scores / scores.sum(1, true)).matmul(part));
  }
  return torch::cat(heads, 1) + parameter_of(model, name + ".bias");
}

at::Tensor dense_local(const NodeModel& model, const at::Tensor& in,
                       at::Tensor x) {
  x = affine_of(model, "input", x);
  at::Tensor sum = torch::zeros_like(x);
  for (int64_t k = 0; k < 2; ++k) {
    const std::string name = "layers." + std::to_string(k);
    const at::Tensor y =
        (dense_attention(model, name + ".convolution", in, x) +
         x.matmul(parameter_of(model, name + ".residual.weight").t()))
            .relu();
    const at::Tensor gate = affine_of(model, name + ".gate", x).relu();
    const at::Tensor beta = parameter_of(model, name + ".beta").sigmoid();
    x = (1 - beta) * layer_norm_of(model, name + ".norm", gate * y) + beta * y;
    sum = sum + x;
  }
  return sum;
}

// Attention between all pairs of nodes, as a matrix.
at::Tensor dense_global(const NodeModel& model, const at::Tensor& local) {
  at::Tensor z = layer_norm_of(model, "global_norm", local);
  for (int64_t l = 0; l < 2; ++l) {
    const std::string name = "attention." + std::to_string(l);
    const at::Tensor q = affine_of(model, name + ".key", z).sigmoid();
    const at::Tensor v = affine_of(model, name + ".value", z);
    std::vector<at::Tensor> heads;
    for (int64_t i = 0; i < 2; ++i) {
      const at::Tensor part = q.narrow(1, 3 * i, 3);
      const at::Tensor pairs = part.matmul(part.t());
      heads.push_back(
          (pairs / pairs.sum(1, true)).matmul(v.narrow(1, 3 * i, 3)));
    }
    const at::Tensor normed =
        layer_norm_of(model, name + ".norm", torch::cat(heads, 1));
    const at::Tensor gate = affine_of(model, name + ".gate", z) +
                            parameter_of(model, name + ".beta").sigmoid();
    z = affine_of(model, "attention_output", normed * gate).relu();
  }
  return z;
}

TEST(Polynormer, IsThatOfDenseMatricesInBothPhases) {
  const Graph graph = directed_seven(SelfLoops::add);
  const NodeFeatures features = features_of_seven(4);
  for (const int64_t local_epochs : {0, 5}) {
    const auto model =
        create_model("polynormer", {4, 2}, small_polynormer(local_epochs), 3);
    const at::Tensor logits = exact_logits(*model, graph, features);
    const at::Tensor local = dense_local(
        *model, dense_in(graph), features.dense_values().to(at::kDouble));
    const at::Tensor expected =
        local_epochs == 0
            ? affine_of(*model, "output", dense_global(*model, local))
            : affine_of(*model, "local_output", local);
    EXPECT_TRUE(close_to(logits, expected)) << local_epochs;
  }
}

TEST(Polynormer, TurnsGlobalWithTheStepAndRemembersIt) {
  const Graph graph = directed_seven(SelfLoops::add);
  const NodeFeatures features = features_of_seven(4);
  const torch::NoGradGuard no_grad;
  const auto model = create_model("polynormer", {4, 2}, small_polynormer(3), 3);
  const auto global =
      create_model("polynormer", {4, 2}, small_polynormer(0), 3);
  const at::Tensor local_logits = model->forward(graph, features, {});
  const at::Tensor global_logits = global->forward(graph, features, {});
  ASSERT_FALSE(torch::allclose(local_logits, global_logits));
  ForwardContext training;
  training.training = true;
  for (const bool on_device : {false, true}) {
    for (const int64_t step : {1, 3, 4, 9, 2}) {
      training.step =
          on_device ? DropoutStep(torch::tensor({step})) : DropoutStep(step);
      const at::Tensor& expected = step > 3 ? global_logits : local_logits;
      EXPECT_TRUE(
          torch::equal(model->forward(graph, features, training), expected));
      // Evaluation follows, and so does whatever loads the buffer.
      EXPECT_TRUE(torch::equal(model->forward(graph, features, {}), expected));
      EXPECT_EQ(model->named_buffers()["phase"].item<float>(),
                step > 3 ? 1 : 0);
    }
  }
}

TEST(Polynormer, GlobalPartsWaitForTheirFirstStep) {
  const auto model = create_model("polynormer", {4, 2}, small_polynormer(7), 3);
  for (const auto& item : model->named_parameters()) {
    const std::string& name = item.key();
    const bool is_local = name.find("layers.") == 0 ||
                          name.find("input.") == 0 ||
                          name.find("local_output.") == 0;
    EXPECT_EQ(model->first_step(name), is_local ? 1 : 8) << name;
  }
}

TEST(Polynormer, HeadsMustDivideItsWidth) {
  ModelOptions options = small_polynormer(1);
  options.heads = 4;
  EXPECT_TRUE(
      contains(error_of([&] { check_model_options("polynormer", options); }),
               "not divisible by heads 4"));
}

}  // namespace
}  // namespace ordered_gnn::nn
