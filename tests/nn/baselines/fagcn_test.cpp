#include <gtest/gtest.h>

#include "nn/dense_reference.h"

namespace ordered_gnn::nn {
namespace {

TEST(Fagcn, IsThatOfDenseMatrices) {
  const Graph graph = directed_seven();
  const NodeFeatures features = features_of_seven(4);
  ModelOptions options;
  options.layers = 2;
  options.hidden = 3;
  options.alpha = 0.3;
  const auto model = create_model("fagcn", {4, 2}, options, 3);
  const at::Tensor logits = exact_logits(*model, graph, features);
  const at::Tensor norm = symmetric(dense_in(graph));
  const at::Tensor first =
      affine_of(*model, "input.0", features.dense_values().to(at::kDouble))
          .relu();
  at::Tensor h = first;
  for (int64_t k = 0; k < 2; ++k) {
    const std::string name = "layers." + std::to_string(k);
    const at::Tensor weight = parameter_of(*model, name + ".weight");
    // Row v, column u: of the edge from u to v.
    const at::Tensor attention =
        (h.matmul(weight[0]).unsqueeze(0) + h.matmul(weight[1]).unsqueeze(1) +
         parameter_of(*model, name + ".bias"))
            .tanh();
    h = (attention * norm).matmul(h) + 0.3 * first;
  }
  EXPECT_TRUE(close_to(logits, affine_of(*model, "output", h)));
  EXPECT_TRUE(close_to(model->classify(h), logits));
}

// Two nodes that repel each other: a = tanh(-2) along both edges.
TEST(Fagcn, NeighboursMayBeTakenOffByHand) {
  const auto model =
      hand_made("fagcn", {{"layers", 1}, {"hidden", 1}, {"alpha", 0.5}},
                {{"input.0.weight", matrix({{1}})},
                 {"input.0.bias", row({0})},
                 {"layers.0.weight", matrix({{0}, {0}})},
                 {"layers.0.bias", row({-2})},
                 {"output.weight", matrix({{1}})},
                 {"output.bias", row({0})}});
  const Graph pair = Graph::from_edges(
      2, std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 0}});
  EXPECT_TRUE(
      close_to(exact_logits(*model, pair, features_of({{4}, {2}})),
               matrix({{2 + 2 * std::tanh(-2.0)}, {1 + 4 * std::tanh(-2.0)}})));
}

}  // namespace
}  // namespace ordered_gnn::nn
