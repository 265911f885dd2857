#include "ordered_gnn/ops/cross_entropy.h"

#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "ops/op_checks.h"
#include "ordered_gnn/core/parallel.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

at::Tensor indices(const std::vector<int64_t>& values) {
  return torch::tensor(values, at::kLong);
}

// Some nodes out of order, and their labels.
at::Tensor some_nodes(int64_t count, int64_t rows) {
  return torch::arange(count, at::kLong).mul(7).add(3).remainder(rows);
}
at::Tensor some_labels(int64_t count, int64_t classes) {
  return torch::arange(count, at::kLong).mul(5).add(1).remainder(classes);
}

TensorFunction loss_of(const at::Tensor& nodes, const at::Tensor& labels) {
  return [=](const Tensors& in) {
    return Tensors{cross_entropy(in[0], nodes, labels)};
  };
}

// Written out, node by node.
TensorFunction reference_of(const at::Tensor& nodes, const at::Tensor& labels) {
  return [=](const Tensors& in) {
    at::Tensor sum = torch::zeros({}, in[0].options());
    for (int64_t i = 0; i < nodes.size(0); ++i) {
      const at::Tensor row = in[0][nodes[i].item<int64_t>()];
      const at::Tensor exponentials = (row - row.max().detach()).exp();
      sum = sum - (exponentials / exponentials.sum())
                      .select(0, labels[i].item<int64_t>())
                      .log();
    }
    return Tensors{sum / nodes.size(0)};
  };
}

TensorFunction torch_loss(const at::Tensor& nodes, const at::Tensor& labels) {
  return [=](const Tensors& in) {
    return Tensors{torch::nn::functional::cross_entropy(
        in[0].index_select(0, nodes), labels)};
  };
}

TensorFunction weighted_loss_of(const at::Tensor& nodes,
                                const at::Tensor& labels,
                                const at::Tensor& weights) {
  return [=](const Tensors& in) {
    return Tensors{
        cross_entropy(in[0], nodes, labels, weights.to(in[0].scalar_type()))};
  };
}

// Written out, node by node.
TensorFunction weighted_reference_of(const at::Tensor& nodes,
                                     const at::Tensor& labels,
                                     const at::Tensor& weights) {
  return [=](const Tensors& in) {
    at::Tensor sum = torch::zeros({}, in[0].options());
    double total = 0;
    for (int64_t i = 0; i < nodes.size(0); ++i) {
      const auto label = labels[i].item<int64_t>();
      const auto weight = weights[label].item<double>();
      const at::Tensor row = in[0][nodes[i].item<int64_t>()];
      sum = sum - weight * torch::log_softmax(row, 0).select(0, label);
      total += weight;
    }
    return Tensors{sum / total};
  };
}

at::Tensor some_weights(int64_t classes) {
  return random_tensor({classes}, at::kDouble, 90, 0.2, 5);
}

TEST(CrossEntropy, WeightsCountClassesAsWorkedByHand) {
  // Losses log 4 of class 0 with weight 3 and log 2 of class 1 with weight 1.
  const at::Tensor logits =
      torch::tensor({{0.0, std::log(3.0)}, {5.0, 5.0}}, at::kDouble);
  const at::Tensor weights = torch::tensor({3.0, 1.0}, at::kDouble);
  const double expected = (3 * std::log(4.0) + std::log(2.0)) / 4;
  for (const double factor : {1.0, 7.5}) {
    const at::Tensor loss = cross_entropy(logits, indices({0, 1}),
                                          indices({0, 1}), factor * weights);
    EXPECT_NEAR(loss.item<double>(), expected, 1e-12);
  }
}

TEST(CrossEntropy, WeightedMatchesTheReferenceAtEveryWidth) {
  for (const int64_t classes : kWidths) {
    SCOPED_TRACE(classes);
    const at::Tensor nodes = some_nodes(9, 11);
    const at::Tensor labels = some_labels(9, classes);
    const at::Tensor weights = some_weights(classes);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches(weighted_loss_of(nodes, labels, weights),
                     weighted_reference_of(nodes, labels, weights),
                     {random_tensor({11, classes}, dtype, 91, -4, 4)});
    }
  }
}

TEST(CrossEntropy, WeightedGradientsAgreeWithCentralDifferences) {
  EXPECT_TRUE(gradients_match(
      weighted_loss_of(some_nodes(4, 5), some_labels(4, 3), some_weights(3)),
      {{"logits", random_tensor({5, 3}, at::kDouble, 93, -2, 2)}}));
}

TEST(CrossEntropy, WeightsThatAreAllOneChangeNothing) {
  const at::Tensor nodes = some_nodes(70, 101);
  const at::Tensor labels = some_labels(70, 5);
  const Tensors in = {random_tensor({101, 5}, at::kFloat, 92, -9, 9)};
  const Tensors plain = forward_and_backward(loss_of(nodes, labels), in);
  const Tensors weighted = forward_and_backward(
      weighted_loss_of(nodes, labels, torch::ones({5})), in);
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_TRUE(close_to(weighted[i], plain[i]));
  }
}

TEST(CrossEntropy, WeightedKeepsWhatHoldsOfAllOps) {
  const at::Tensor weights = strided_copy(some_weights(7));
  const TensorFunction loss =
      weighted_loss_of(some_nodes(5, 6), some_labels(5, 7), weights);
  const Tensors in = {random_tensor({6, 7}, at::kFloat, 98)};
  expect_accepts_strided(loss, in);
  expect_gradients_flow(loss, in);
  expect_runs_in_inference_mode(loss, in);
  expect_same_bits_for_any_threads(
      weighted_loss_of(some_nodes(3000, 4001), some_labels(3000, 37),
                       some_weights(37)),
      {random_tensor({4001, 37}, at::kFloat, 99)});
}

TEST(CrossEntropy, RefusesWeightsThatDoNotFit) {
  const at::Tensor logits = torch::zeros({3, 2});
  const at::Tensor nodes = indices({0, 1});
  expect_error([&] { cross_entropy(logits, nodes, nodes, torch::ones({3})); },
               "weights must be [2], got [3]");
  expect_error(
      [&] {
        cross_entropy(logits, nodes, nodes, torch::ones({2}, at::kDouble));
      },
      "weights");
  EXPECT_TRUE(std::isnan(
      cross_entropy(logits, nodes, nodes, torch::zeros({2})).item<double>()));
}

TEST(CrossEntropy, IsTheMeanAsWorkedByHand) {
  // Probabilities 1/4, 3/4 in row 0 and 1/2, 1/2 in row 2; row 1 is not asked.
  const at::Tensor logits = torch::tensor(
      {{0.0, std::log(3.0)}, {100.0, -100.0}, {5.0, 5.0}}, at::kDouble);
  const at::Tensor loss =
      cross_entropy(logits, indices({2, 0}), indices({0, 0}));
  EXPECT_EQ(loss.dim(), 0);
  EXPECT_TRUE(
      close_to(loss, torch::scalar_tensor(std::log(8.0) / 2, at::kDouble)));
}

TEST(CrossEntropy, MatchesTheReferenceAtEveryWidth) {
  for (const int64_t classes : kWidths) {
    SCOPED_TRACE(classes);
    const at::Tensor nodes = some_nodes(9, 11);
    const at::Tensor labels = some_labels(9, classes);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_matches(loss_of(nodes, labels), reference_of(nodes, labels),
                     {random_tensor({11, classes}, dtype, 91, -4, 4)});
    }
  }
}

TEST(CrossEntropy, IsTheBitsOfTorch) {
  for (const int64_t classes : {2, 5, 37, 300}) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      SCOPED_TRACE(classes);
      const at::Tensor nodes = some_nodes(700, 1009);
      const at::Tensor labels = some_labels(700, classes);
      const Tensors in = {random_tensor({1009, classes}, dtype, 92, -9, 9)};
      const Tensors got = forward_and_backward(loss_of(nodes, labels), in);
      const Tensors expected =
          forward_and_backward(torch_loss(nodes, labels), in);
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_TRUE(torch::equal(got[i], expected[i])) << "result " << i;
      }
    }
  }
}

TEST(CrossEntropy, GradientsAgreeWithCentralDifferences) {
  EXPECT_TRUE(gradients_match(
      loss_of(some_nodes(4, 5), some_labels(4, 3)),
      {{"logits", random_tensor({5, 3}, at::kDouble, 93, -2, 2)}}));
}

TEST(CrossEntropy, ANodeThatRepeatsCountsEveryTime) {
  const at::Tensor nodes = indices({1, 3, 1, 1});
  const at::Tensor labels = indices({0, 2, 0, 1});
  const at::Tensor logits = random_tensor({4, 3}, at::kDouble, 94);
  expect_matches(loss_of(nodes, labels), reference_of(nodes, labels), {logits});
  EXPECT_TRUE(gradients_match(loss_of(nodes, labels), {{"logits", logits}}));
}

TEST(CrossEntropy, RowsOfOtherNodesGetZeroGradients) {
  const at::Tensor logits =
      random_tensor({4, 3}, at::kFloat, 95).requires_grad_();
  cross_entropy(logits, indices({2}), indices({1})).backward();
  const at::Tensor others = logits.grad().index_select(0, indices({0, 1, 3}));
  EXPECT_TRUE(others.eq(0).all().item<bool>());
  EXPECT_TRUE(logits.grad()[2].ne(0).all().item<bool>());
}

TEST(CrossEntropy, LargeLogitsDoNotOverflow) {
  const at::Tensor logits = torch::tensor({{1e4f, -1e4f}});
  EXPECT_EQ(cross_entropy(logits, indices({0}), indices({0})).item<float>(),
            0.f);
  EXPECT_EQ(cross_entropy(logits, indices({0}), indices({1})).item<float>(),
            2e4f);
}

TEST(CrossEntropy, ADivergedRowMakesTheLossNaN) {
  const at::Tensor logits = torch::zeros({2, 3});
  for (const double value :
       {std::nan(""), std::numeric_limits<double>::infinity()}) {
    logits[1][2] = value;
    EXPECT_TRUE(
        std::isnan(cross_entropy(logits, indices({0, 1}), indices({0, 0}))
                       .item<double>()));
  }
}

TEST(CrossEntropy, NoNodesGiveNaNAndNoGradient) {
  const at::Tensor logits =
      random_tensor({4, 3}, at::kFloat, 96).requires_grad_();
  const at::Tensor loss = cross_entropy(logits, indices({}), indices({}));
  EXPECT_TRUE(std::isnan(loss.item<double>()));
  loss.backward();
  EXPECT_TRUE(logits.grad().eq(0).all().item<bool>());
}

TEST(CrossEntropy, OutputRequiresGradOnlyWhenTheLogitsDo) {
  expect_gradients_flow(loss_of(some_nodes(3, 5), some_labels(3, 4)),
                        {random_tensor({5, 4}, at::kFloat, 97)});
}

TEST(CrossEntropy, AcceptsInputsWithGaps) {
  const at::Tensor nodes = strided_copy(some_nodes(5, 6));
  const at::Tensor labels = strided_copy(some_labels(5, 7));
  expect_accepts_strided(loss_of(nodes, labels),
                         {random_tensor({6, 7}, at::kFloat, 98)});
}

TEST(CrossEntropy, IsTheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads(
      loss_of(some_nodes(3000, 4001), some_labels(3000, 37)),
      {random_tensor({4001, 37}, at::kFloat, 99)});
}

TEST(CrossEntropy, RunsInInferenceMode) {
  expect_runs_in_inference_mode(loss_of(some_nodes(3, 5), some_labels(3, 4)),
                                {random_tensor({5, 4}, at::kFloat, 97)});
}

TEST(CrossEntropy, IsARegisteredOp) {
  EXPECT_TRUE(is_registered("cross_entropy"));
  EXPECT_TRUE(is_registered("cross_entropy_backward"));
}

TEST(CrossEntropy, RefusesWrongShapesAndTypes) {
  const at::Tensor logits = torch::zeros({3, 2});
  const at::Tensor nodes = indices({0, 2});
  expect_error([&] { cross_entropy(torch::zeros({3}), nodes, nodes); },
               "logits must be [N, C] with C at least 1, got [3]");
  expect_error(
      [&] {
        cross_entropy(torch::zeros({3, 0}), nodes, nodes);
      },
      "logits must be [N, C] with C at least 1, got [3, 0]");
  expect_error([&] { cross_entropy(logits.to(at::kInt), nodes, nodes); },
               "logits must be float32 or float64, got Int");
  expect_error([&] { cross_entropy(logits, nodes.to(at::kInt), nodes); },
               "nodes must be [n] int64, got [2] Int");
  expect_error([&] { cross_entropy(logits, nodes, logits); },
               "labels must be [n] int64, got [3, 2] Float");
  expect_error([&] { cross_entropy(logits, nodes, indices({0})); },
               "labels must be [2], got [1]");
}

TEST(CrossEntropy, RefusesNodesAndLabelsOutOfRange) {
  const at::Tensor logits = torch::zeros({3, 2});
  for (const int64_t bad : {-100, -1, 2}) {
    expect_error(
        [&] {
          cross_entropy(logits, indices({0, 1}), indices({0, bad}));
        },
        "labels[1] is " + std::to_string(bad) + "; it must be in 0 to 1");
  }
  for (const int64_t bad : {-1, 3}) {
    expect_error(
        [&] { cross_entropy(logits, indices({bad}), indices({0})); },
        "nodes[0] is " + std::to_string(bad) + "; it must be in 0 to 2");
  }
}

// Several runs of rows: the bits are LibTorch's for any number of threads,
// whether nodes are listed in order, out of order or twice.
TEST(CrossEntropy, ManyNodesHaveTheBitsOfLibTorchOnAnyNumberOfThreads) {
  const int64_t rows = 5003;
  const at::Tensor logits = random_tensor({rows, 7}, at::kFloat, 41);
  const at::Tensor in_order = torch::arange(0, rows, 2, at::kLong);
  for (const at::Tensor& nodes :
       {in_order, in_order.flip(0), torch::cat({in_order, in_order})}) {
    const at::Tensor labels = some_labels(nodes.size(0), 7);
    const auto bits = [&](const TensorFunction& loss) {
      const at::Tensor x = logits.clone().requires_grad_();
      const at::Tensor value = loss({x})[0];
      value.backward();
      return Tensors{value.detach(), x.grad()};
    };
    const ThreadScope one_thread(1);
    const Tensors expected = bits(torch_loss(nodes, labels));
    for (const int threads : {1, 3}) {
      const ThreadScope scope(threads);
      const Tensors got = bits(loss_of(nodes, labels));
      EXPECT_TRUE(torch::equal(got[0], expected[0])) << threads;
      EXPECT_TRUE(torch::equal(got[1], expected[1])) << threads;
    }
  }
}

}  // namespace
}  // namespace ordered_gnn
