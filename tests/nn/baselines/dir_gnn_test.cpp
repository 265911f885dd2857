#include <gtest/gtest.h>

#include "nn/dense_reference.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "support/errors.h"

namespace ordered_gnn::nn {
namespace {

ModelOptions directed_options(ConvolutionKind kind, double alpha) {
  ModelOptions options;
  options.layers = 2;
  options.hidden = 3;
  options.convolution = kind;
  options.alpha = alpha;
  options.jumping = Jumping::max;
  options.unit_rows = true;
  return options;
}

// The paper's equations with dense matrices.
at::Tensor dense_dir_gnn(const NodeModel& model, const ModelOptions& options,
                         const at::Tensor& in, at::Tensor x) {
  const at::Tensor from = in.sum(1), to = in.sum(0);
  const bool is_gcn = options.convolution == ConvolutionKind::gcn;
  const at::Tensor senders =
      is_gcn ? row_scaled(row_scaled(in, from, 0.5).t(), to, 0.5).t()
             : row_scaled(in, from, 1);
  const at::Tensor receivers = is_gcn ? senders.t() : row_scaled(in.t(), to, 1);
  std::vector<at::Tensor> states;
  for (int64_t k = 0; k < options.layers; ++k) {
    const std::string name = "layers." + std::to_string(k);
    const at::Tensor weight = parameter_of(model, name + ".weight");
    at::Tensor y = parameter_of(model, name + ".bias").unsqueeze(0);
    int64_t part = 0;
    const auto add = [&](const at::Tensor& a, double share) {
      if (share == 0) return;
      const at::Tensor w = weight.narrow(0, 3 * part++, 3);
      y = y + share * a.matmul(x).matmul(w.t());
    };
    add(torch::eye(in.size(0), at::kDouble), is_gcn ? 0 : 1);
    add(senders, 1 - options.alpha);
    add(receivers, options.alpha);
    EXPECT_EQ(weight.size(0), 3 * part);
    x = unit(y.relu());
    states.push_back(x);
  }
  return affine_of(model, "output", at::maximum(states[0], states[1]));
}

TEST(DirGnn, IsThatOfDenseMatricesForEveryShareOfTheDirections) {
  const Graph graph = directed_seven();
  const NodeFeatures features = features_of_seven(4);
  for (const ConvolutionKind kind :
       {ConvolutionKind::gcn, ConvolutionKind::sage}) {
    for (const double alpha : {0.0, 0.3, 1.0}) {
      SCOPED_TRACE(to_string(kind) + " " + std::to_string(alpha));
      const ModelOptions options = directed_options(kind, alpha);
      const auto model = create_model("dir_gnn", {4, 2}, options, 3);
      EXPECT_TRUE(
          close_to(exact_logits(*model, graph, features),
                   dense_dir_gnn(*model, options, dense_in(graph),
                                 features.dense_values().to(at::kDouble))));
    }
  }
}

// With a = 1 messages run against the edges alone.
TEST(DirGnn, HearsTheReceiversOfItsEdgesByHand) {
  ModelOptions options = directed_options(ConvolutionKind::gcn, 1);
  options.layers = 1;
  options.hidden = 1;
  options.unit_rows = false;
  const auto model = create_model("dir_gnn", {1, 1}, options, 1);
  set_parameter(*model, "layers.0.weight", matrix({{2}}));
  set_parameter(*model, "layers.0.bias", row({1}));
  set_parameter(*model, "output.weight", matrix({{10}}));
  set_parameter(*model, "output.bias", row({0}));
  // 0 -> 2 and 1 -> 2: node 2 has in-degree 2, the others out-degree 1.
  const Graph graph = Graph::from_edges(
      3, std::vector<std::pair<int64_t, int64_t>>{{0, 2}, {1, 2}});
  const double heard = 10 * (2 * 3 / std::sqrt(2.0) + 1);
  EXPECT_TRUE(
      close_to(exact_logits(*model, graph, features_of({{5}, {7}, {3}})),
               matrix({{heard}, {heard}, {10}})));
}

TEST(DirGnn, OnEdgesThatRunBothWaysHasOneNeighbourhood) {
  const Graph graph = path_of_three(SelfLoops::keep);
  const NodeFeatures features = features_of({{1, 2}, {-1, 0}, {3, 1}});
  ModelOptions options = directed_options(ConvolutionKind::gcn, 0);
  const auto senders = create_model("dir_gnn", {2, 2}, options, 4);
  options.alpha = 1;
  const auto receivers = create_model("dir_gnn", {2, 2}, options, 4);
  EXPECT_TRUE(torch::equal(exact_logits(*senders, graph, features),
                           exact_logits(*receivers, graph, features)));
}

TEST(DirGnn, WithoutJumpingEndsWithItsLastLayer) {
  ModelOptions options = directed_options(ConvolutionKind::sage, 0.5);
  options.jumping = Jumping::none;
  const auto model = create_model("dir_gnn", {4, 2}, options, 1);
  EXPECT_FALSE(model->named_parameters().contains("output.weight"));
  EXPECT_EQ(model->named_parameters()["layers.1.weight"].size(0), 3 * 2);
  EXPECT_TRUE(contains(find_model("dir_gnn").why_unread(options, "l2-theta"),
                       "no output layer"));
  EXPECT_EQ(find_model("dir_gnn").why_unread(options, "l2-xi"), "");
}

TEST(DirGnn, RefusesAttentionAndJkNetNoJumping) {
  ModelOptions options;
  options.convolution = ConvolutionKind::gat;
  EXPECT_TRUE(contains(
      error_of([&] { check_model_options("dir_gnn", options); }), "not gat"));
  options = {};
  options.jumping = Jumping::none;
  EXPECT_NO_THROW(check_model_options("dir_gnn", options));
  EXPECT_TRUE(contains(error_of([&] { check_model_options("jknet", options); }),
                       "concat, max or lstm"));
}

}  // namespace
}  // namespace ordered_gnn::nn
