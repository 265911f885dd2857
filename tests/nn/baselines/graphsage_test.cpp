#include <gtest/gtest.h>

#include <cmath>

#include "nn/hand_worked.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(GraphSage, OneLayerByHand) {
  const auto model =
      hand_made("graphsage", {{"layers", 1}, {"hidden", 2}},
                {// Rows: two of the node itself, then two of its neighbours.
                 {"layers.0.weight", matrix({{1}, {0}, {0}, {2}})},
                 {"layers.0.bias", row({0, -1})},
                 {"output.weight", matrix({{1, 0}, {0, 1}})},
                 {"output.bias", row({0, 0})}},
                {1, 2});
  // Means of neighbours are 4, (3 + 5) / 2 = 4 and 4: h = (x, 2 * 4 - 1).
  const auto unit = [](double a, double b) {
    return std::vector<double>{a / std::hypot(a, b), b / std::hypot(a, b)};
  };
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::remove),
                                    features_of({{3}, {4}, {5}})),
                       matrix({unit(3, 7), unit(4, 7), unit(5, 7)})));
}

TEST(GraphSage, ARowOfZerosStaysZeros) {
  const auto model = hand_made("graphsage", {{"layers", 1}, {"hidden", 2}},
                               {{"output.bias", row({5})}});
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::remove),
                                    features_of({{0}, {0}, {0}})),
                       matrix({{5}, {5}, {5}})));
}

}  // namespace
}  // namespace ordered_gnn::nn
