// Logits of some nodes alone are the rows of the logits of all.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kNodes = 40;

class ReceiversPass : public testing::Test {
 protected:
  ReceiversPass() {
    set_small_network(options_, 16);
    context_.training = true;
    context_.seed = 7;
    context_.step = 3;
  }

  // The logits of some nodes, by themselves or out of all, and the gradients of
  // the parameters.
  std::vector<at::Tensor> step(bool alone) {
    OrderedGnn model({5, 3}, options_, /*seed=*/1);
    at::Tensor logits =
        alone ? model.forward_receivers(graph_, features_, context_,
                                        receiver_lists(graph_, nodes_))
              : model.forward(graph_, features_, context_)
                    .index_select(0, nodes_);
    std::vector<at::Tensor> results = {logits.detach()};
    (logits * random_tensor(logits.sizes(), at::kFloat, 9)).sum().backward();
    for (const at::Tensor& parameter : model.parameters()) {
      results.push_back(parameter.grad());
    }
    return results;
  }

  OrderedGnnOptions options_;
  ForwardContext context_;
  const Graph graph_ = random_graph(kNodes, 150, 2);
  const NodeFeatures features_ =
      NodeFeatures::dense(random_tensor({kNodes, 5}, at::kFloat, 4));
  const at::Tensor nodes_ = torch::tensor({30, 2, 17, 5, 6}, at::kLong);
};

TEST_F(ReceiversPass, HasTheValuesAndGradientsOfTheWholePass) {
  for (const int64_t layers : {1, 2, 5}) {
    for (const Gating gating : {Gating::ordered, Gating::softor}) {
      for (const bool tied : {false, true}) {
        SCOPED_TRACE(std::to_string(layers) + " layers, " + to_string(gating) +
                     (tied ? ", tied" : ""));
        options_.layers = layers;
        options_.gating = gating;
        options_.tied_gates = tied;
        const std::vector<at::Tensor> got = step(/*alone=*/true);
        const std::vector<at::Tensor> expected = step(/*alone=*/false);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t i = 0; i < got.size(); ++i) {
          EXPECT_TRUE(close_to(got[i], expected[i])) << "result " << i;
        }
      }
    }
  }
}

// There it saves nothing, and the layer is computed whole.
TEST_F(ReceiversPass, IsForGpus) {
  const OrderedGnn model({5, 3}, options_, /*seed=*/1);
  EXPECT_FALSE(model.has_receivers_pass(context_, at::kCPU));
  EXPECT_TRUE(model.has_receivers_pass(context_, at::kCUDA));
  context_.checkpoint_layers = true;
  EXPECT_FALSE(model.has_receivers_pass(context_, at::kCUDA));
}

TEST_F(ReceiversPass, OfLayersThatAreNotFusedIsAnError) {
  options_.gating = Gating::none;
  OrderedGnn model({5, 3}, options_, /*seed=*/1);
  EXPECT_FALSE(model.has_receivers_pass(context_, at::kCUDA));
  EXPECT_THROW(model.forward_receivers(graph_, features_, context_,
                                       receiver_lists(graph_, nodes_)),
               c10::Error);
}

}  // namespace
}  // namespace ordered_gnn::nn
