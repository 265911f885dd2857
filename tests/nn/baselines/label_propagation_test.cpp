#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// Node 0 is of class 0, node 2 of class 1.
const KnownLabels kEnds = {torch::tensor({0, 2}, at::kLong),
                           torch::tensor({0, 1}, at::kLong)};

at::Tensor shares(int64_t hops, const Graph& graph, const KnownLabels* known) {
  ModelOptions options;
  options.hops = hops;
  options.alpha = 0.5;
  const auto model = create_model("label_propagation", {1, 2}, options, 1);
  ForwardContext context;
  context.known = known;
  return model
      ->forward(graph, NodeFeatures::identity(graph.num_nodes()), context)
      .softmax(1);
}

TEST(LabelPropagation, SpreadsLabelsAsWorkedByHand) {
  const Graph path = path_of_three(SelfLoops::remove);
  // One hop: the middle hears both ends alike.
  EXPECT_TRUE(
      close_to(shares(1, path, &kEnds), matrix({{1, 0}, {0.5, 0.5}, {0, 1}})));
  // Two: an end hears (1/8, 1/8) of the other one and starts again with 1/2.
  EXPECT_TRUE(
      close_to(shares(2, path, &kEnds),
               matrix({{5. / 6, 1. / 6}, {0.5, 0.5}, {1. / 6, 5. / 6}})));
}

TEST(LabelPropagation, NodesThatNoLabelReachesAreUndecided) {
  const Graph graph =
      Graph::from_edges(4, std::vector<std::pair<int64_t, int64_t>>{{0, 1}},
                        {Direction::undirected, SelfLoops::remove});
  const at::Tensor got = shares(5, graph, &kEnds);
  EXPECT_TRUE(close_to(got[1], row({1, 0})));
  EXPECT_TRUE(close_to(got[3], row({0.5, 0.5})));
  EXPECT_TRUE(close_to(shares(5, graph, nullptr), at::full({4, 2}, 0.5)));
}

TEST(LabelPropagation, HasNothingToLearn) {
  const auto model = create_model("label_propagation", {1, 2}, {}, 1);
  EXPECT_TRUE(model->parameters().empty());
  EXPECT_EQ(model->told_labels(), 1.0);
}

}  // namespace
}  // namespace ordered_gnn::nn
