#include <gtest/gtest.h>

#include "nn/dense_reference.h"
#include "support/errors.h"

namespace ordered_gnn::nn {
namespace {

at::Tensor dense_acm(const NodeModel& model, const at::Tensor& low,
                     at::Tensor x, int64_t layers) {
  const at::Tensor high = torch::eye(low.size(0), at::kDouble) - low;
  for (int64_t k = 0; k < layers; ++k) {
    const std::string name = "layers." + std::to_string(k);
    const auto weight = parameter_of(model, name + ".weight").chunk(3, 0);
    const at::Tensor vectors = parameter_of(model, name + ".scores");
    const std::vector<at::Tensor> channel = {
        low.matmul(x).matmul(weight[0].t()).relu(),
        high.matmul(x).matmul(weight[1].t()).relu(),
        x.matmul(weight[2].t()).relu()};
    std::vector<at::Tensor> scores;
    for (int64_t i = 0; i < 3; ++i) {
      scores.push_back(channel[i].matmul(vectors[i]));
    }
    const at::Tensor shares = (torch::stack(scores, 1).sigmoid().matmul(
                                   parameter_of(model, name + ".mix").t()) /
                               3)
                                  .softmax(1);
    x = torch::zeros_like(channel[0]);
    for (int64_t i = 0; i < 3; ++i) {
      x = x + 3 * shares.select(1, i).unsqueeze(1) * channel[i];
    }
    if (k + 1 < layers) x = x.relu();
  }
  return x;
}

TEST(AcmGcn, IsThatOfDenseMatrices) {
  const Graph graph = directed_seven(SelfLoops::add);
  const NodeFeatures features = features_of_seven(4);
  for (const Aggregator aggregator : {Aggregator::mean, Aggregator::gcn}) {
    ModelOptions options;
    options.layers = 2;
    options.hidden = 3;
    options.aggregator = aggregator;
    const auto model = create_model("acm_gcn", {4, 2}, options, 3);
    const at::Tensor in = dense_in(graph);
    const at::Tensor low = aggregator == Aggregator::mean
                               ? row_scaled(in, in.sum(1), 1)
                               : symmetric(in);
    EXPECT_TRUE(close_to(
        exact_logits(*model, graph, features),
        dense_acm(*model, low, features.dense_values().to(at::kDouble), 2)));
  }
}

TEST(AcmGcn, NeedsAnAverageOfNeighbours) {
  ModelOptions options;
  for (const Aggregator aggregator :
       {Aggregator::sum, Aggregator::max, Aggregator::gat}) {
    options.aggregator = aggregator;
    EXPECT_TRUE(
        contains(error_of([&] { check_model_options("acm_gcn", options); }),
                 "must be mean or gcn"));
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
