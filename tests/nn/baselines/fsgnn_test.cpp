#include <gtest/gtest.h>

#include "nn/dense_reference.h"

namespace ordered_gnn::nn {
namespace {

TEST(Fsgnn, IsThatOfFeaturesOfEveryHop) {
  const Graph graph = directed_seven();
  const NodeFeatures features = features_of_seven(4);
  const at::Tensor x = features.dense_values().to(at::kDouble);
  const at::Tensor in = dense_in(graph);
  const at::Tensor eye = torch::eye(7, at::kDouble);
  for (const bool unit_rows : {true, false}) {
    for (const int64_t hops : {1, 3}) {
      SCOPED_TRACE(std::to_string(unit_rows) + " " + std::to_string(hops));
      ModelOptions options;
      options.hops = hops;
      options.hidden = 3;
      options.unit_rows = unit_rows;
      const auto model = create_model("fsgnn", {4, 2}, options, 3);
      set_parameter(*model, "shares",
                    random_tensor({2 * hops + 1}, at::kDouble, 5));
      std::vector<at::Tensor> moved = {x};
      for (const at::Tensor& a : {symmetric(in), symmetric(in + eye)}) {
        at::Tensor z = x;
        for (int64_t k = 0; k < hops; ++k) moved.push_back(z = a.matmul(z));
      }
      const at::Tensor share = parameter_of(*model, "shares").softmax(0);
      const at::Tensor weight = parameter_of(*model, "input.0.weight");
      const at::Tensor bias = parameter_of(*model, "input.0.bias");
      std::vector<at::Tensor> parts;
      for (int64_t j = 0; j < 2 * hops + 1; ++j) {
        const at::Tensor y = moved[j].matmul(weight.narrow(0, 3 * j, 3).t()) +
                             bias.narrow(0, 3 * j, 3);
        parts.push_back(share[j] * (unit_rows ? unit(y) : y));
      }
      EXPECT_TRUE(
          close_to(exact_logits(*model, graph, features),
                   affine_of(*model, "output", torch::cat(parts, 1).relu())));
    }
  }
}

TEST(Fsgnn, StartsWithEqualShares) {
  ModelOptions options;
  options.hops = 2;
  const auto model = create_model("fsgnn", {4, 2}, options, 1);
  EXPECT_TRUE(
      torch::equal(model->named_parameters()["shares"], torch::ones({5})));
}

}  // namespace
}  // namespace ordered_gnn::nn
