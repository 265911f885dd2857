#include "nn/baselines/geom_gcn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

// 0 - 1 - 2 from lower left to upper right, 0 and 2 neighbours in the plane.
data::LatentSpace diagonal() {
  return {torch::tensor({{0.f, 0.f}, {1.f, 1.f}, {2.f, 2.f}}),
          Graph::from_edges(3, std::vector<std::pair<int64_t, int64_t>>{{0, 2}},
                            {Direction::undirected, SelfLoops::remove})};
}

// Logits with a weight for each pair of neighbourhood and relation.
at::Tensor logits_with(const std::vector<std::vector<double>>& weights,
                       const data::LatentSpace& latent) {
  const auto model = hand_made(
      "geom_gcn", {{"layers", 1}},
      {{"layers.0.weight", matrix(weights)}, {"layers.0.bias", row({0.5})}});
  const torch::NoGradGuard no_grad;
  ForwardContext context;
  context.preparation = std::make_shared<GeomLayout>(latent);
  return model->forward(path_of_three(SelfLoops::remove),
                        features_of({{1}, {10}, {100}}), context);
}

TEST(GeomGcn, RelationsHaveWeightsOfTheirOwnAsWorkedByHand) {
  // Relations are upper left, upper right, lower left, lower right. In the
  // graph 1 is at the upper right of 0, and 0 and 2 at the lower left and upper
  // right of 1; degrees are 1, 2, 1. In the plane all have degree 1, node 1
  // none.
  const double root = 1 / std::sqrt(2.0);
  EXPECT_TRUE(close_to(
      logits_with({{7}, {1}, {2}, {7}, {7}, {3}, {5}, {7}}, diagonal()),
      matrix({{10 * root + 3 * 100 + 0.5},
              {2 * root + 100 * root + 0.5},
              {2 * 10 * root + 5 + 0.5}})));
}

TEST(GeomGcn, AColumnOfTwoNodesIsUpperRightAndLowerRight) {
  data::LatentSpace latent = diagonal();
  latent.position = torch::tensor({{0.f, 0.f}, {0.f, 1.f}, {-1.f, 2.f}});
  const double root = 1 / std::sqrt(2.0);
  // 1 is straight above 0, so 0 is at its lower right; 2 at its upper left.
  const at::Tensor logits =
      logits_with({{3}, {1}, {7}, {2}, {0}, {0}, {0}, {0}}, latent);
  EXPECT_NEAR(logits[0].item<double>(), 10 * root + 0.5, 1e-9);
  EXPECT_NEAR(logits[1].item<double>(), 2 * root + 3 * 100 * root + 0.5, 1e-9);
}

TEST(GeomGcn, NeedsPlacesForItsNodes) {
  ModelOptions options;
  const auto model = create_model("geom_gcn", {1, 1}, options, 1);
  EXPECT_THROW(model->forward(path_of_three(SelfLoops::add),
                              features_of({{1}, {2}, {3}}), {}),
               c10::Error);
}

TEST(GeomGcn, PreparesTheLayoutThatItsOptionsName) {
  NodeDataset data;
  data.graph = path_of_three(SelfLoops::add);
  for (const Embedding embedding : {Embedding::isomap, Embedding::spectral}) {
    ModelOptions options;
    options.embedding = embedding;
    const auto model = create_model("geom_gcn", {1, 1}, options, 1);
    const auto made =
        std::dynamic_pointer_cast<const GeomLayout>(model->prepare(data));
    ASSERT_NE(made, nullptr);
    const data::LatentSpace expected = data::make_latent_space(
        data.graph,
        embedding == Embedding::isomap ? data::kIsomap : data::kSpectral);
    EXPECT_TRUE(torch::equal(made->space.position, expected.position));
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
