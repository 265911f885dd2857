#include <gtest/gtest.h>

#include "nn/hand_worked.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(TunedGnn, ALayerByHand) {
  // The node itself counts 1, its neighbours' mean 2, the residual 3.
  const auto model =
      hand_made("tuned_gnn",
                {{"layers", 1},
                 {"hidden", 1},
                 {"residual", true},
                 {"norm", "none"},
                 {"convolution", "sage"},
                 {"aggregator", "mean"}},
                {{"layers.0.convolution.weight", matrix({{1}, {2}})},
                 {"layers.0.convolution.bias", row({-5})},
                 {"layers.0.residual.weight", matrix({{3}})},
                 {"layers.0.residual.bias", row({1})},
                 {"output.weight", matrix({{10}})},
                 {"output.bias", row({0.5})}});
  // Means on the path 0 - 1 - 2 without loops: 0, (4 + 1) / 2, 0.
  const at::Tensor expected = matrix({{10 * 12 + 0.5}, {10 * 1 + 0.5}, {0.5}});
  EXPECT_TRUE(close_to(exact_logits(*model, path_of_three(SelfLoops::remove),
                                    features_of({{4}, {0}, {1}})),
                       expected));
}

TEST(TunedGnn, WithoutAResidualHasNoMapForIt) {
  const auto model = hand_made(
      "tuned_gnn",
      {{"layers", 1}, {"hidden", 1}, {"residual", false}, {"norm", "none"}}, {},
      {3, 2});
  for (const auto& item : model->named_parameters()) {
    EXPECT_EQ(item.key().find("residual"), std::string::npos) << item.key();
  }
}

TEST(TunedGnn, ReadsWhatItsLayersHave) {
  ModelOptions options;
  const auto is_read = [&](const std::string& option) {
    return find_model("tuned_gnn").why_unread(options, option).empty();
  };
  options.convolution = ConvolutionKind::gcn;
  EXPECT_FALSE(is_read("heads") || is_read("aggregator") ||
               is_read("dropout-xi"));
  options.convolution = ConvolutionKind::sage;
  EXPECT_TRUE(is_read("aggregator"));
  EXPECT_FALSE(is_read("heads"));
  options.convolution = ConvolutionKind::gat;
  EXPECT_TRUE(is_read("heads") && is_read("dropout-xi"));
  EXPECT_TRUE(is_read("norm") && is_read("residual"));
}

TEST(TunedGnn, HeadsMustDivideTheWidthOfAttentionAlone) {
  ModelOptions options;
  options.hidden = 10;
  options.heads = 4;
  options.convolution = ConvolutionKind::gcn;
  EXPECT_NO_THROW(check_model_options("tuned_gnn", options));
  options.convolution = ConvolutionKind::gat;
  EXPECT_THROW(check_model_options("tuned_gnn", options), UsageError);
}

TEST(TunedGnn, JkNetHasNoLayersOfAttention) {
  ModelOptions options;
  options.convolution = ConvolutionKind::gat;
  EXPECT_TRUE(contains(error_of([&] { check_model_options("jknet", options); }),
                       "not gat"));
}

}  // namespace
}  // namespace ordered_gnn::nn
