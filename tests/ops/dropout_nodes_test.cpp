#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/ordered_layer.h"

namespace ordered_gnn {
namespace {

// Some rows of a matrix, and the key by which they are dropped as in the whole.
struct SomeRows {
  at::Tensor nodes = torch::tensor({7, 2, 11, 3, 0});
  DropoutKey whole{5, 9, 2};

  DropoutKey key() const {
    return {whole.seed, torch::cat({torch::tensor({whole.step.number}), nodes}),
            whole.site};
  }
};

TEST(DropoutOfNodes, MasksFollowTheNodeWhicheverRowItIs) {
  const SomeRows some;
  for (const int64_t width : {1, 8, 37, 64, 130}) {
    const at::Tensor x = torch::ones({12, width});
    const at::Tensor all = dropout(x, 0.4, some.whole);
    EXPECT_TRUE(
        torch::equal(dropout(x.index_select(0, some.nodes), 0.4, some.key()),
                     all.index_select(0, some.nodes)))
        << width;
  }
}

TEST(DropoutOfNodes, GradientsAreMaskedAlike) {
  const SomeRows some;
  const at::Tensor x = torch::ones({12, 20});
  const at::Tensor rows = x.index_select(0, some.nodes).set_requires_grad(true);
  dropout(rows, 0.4, some.key()).sum().backward();
  EXPECT_TRUE(torch::equal(
      rows.grad(), dropout(x, 0.4, some.whole).index_select(0, some.nodes)));
}

TEST(DropoutOfNodes, LayerNormDropsAsItDoesInTheWhole) {
  const SomeRows some;
  torch::manual_seed(1);
  const at::Tensor x = torch::randn({12, 24});
  const at::Tensor weight = torch::rand({24}), bias = torch::randn({24});
  const auto normed = [&](const at::Tensor& rows, const DropoutKey& key) {
    return layer_norm(rows, weight, bias, {1e-5, true, 0.3, key});
  };
  EXPECT_TRUE(torch::equal(normed(x.index_select(0, some.nodes), some.key()),
                           normed(x, some.whole).index_select(0, some.nodes)));
}

TEST(DropoutOfNodes, SparseFeaturesDropAsTheyDoInTheWhole) {
  const SomeRows some;
  torch::manual_seed(2);
  const at::Tensor dense = torch::rand({12, 30}).gt(0.6).to(torch::kFloat);
  const auto sparse = [](const at::Tensor& rows) {
    const at::Tensor entries = rows.nonzero();
    SparseRows list;
    list.rowptr = torch::cat({torch::zeros({1}, torch::kLong),
                              rows.ne(0).sum(1).cumsum(0).to(torch::kLong)});
    list.col = entries.select(1, 1).to(torch::kInt);
    list.value = rows.masked_select(rows.ne(0));
    return NodeFeatures::sparse(list, rows.size(1));
  };
  const at::Tensor weight = torch::randn({6, 30});
  const at::Tensor bias = torch::randn({6});
  const auto mapped = [&](const at::Tensor& rows, const DropoutKey& key,
                          const at::Tensor& grad) {
    const at::Tensor leaf = weight.clone().set_requires_grad(true);
    const at::Tensor out = feature_linear(sparse(rows), leaf, bias, 0.5, key);
    out.backward(grad);
    return std::make_pair(out.detach(), leaf.grad());
  };
  const at::Tensor grad = torch::zeros({12, 6});
  grad.index_fill_(0, some.nodes, 1);
  const auto whole = mapped(dense, some.whole, grad);
  const auto rows = mapped(dense.index_select(0, some.nodes), some.key(),
                           torch::ones({some.nodes.numel(), 6}));
  EXPECT_TRUE(
      torch::equal(rows.first, whole.first.index_select(0, some.nodes)));
  EXPECT_TRUE(torch::allclose(rows.second, whole.second));
}

TEST(DropoutOfNodes, OrderedLayerDropsAsItDoesInTheWhole) {
  const SomeRows some;
  torch::manual_seed(3);
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    for (const int64_t width : {24, 64}) {
      SCOPED_TRACE(testing::Message() << dtype << " width " << width);
      const at::Tensor h = torch::randn({12, width});
      const OrderedLayerParameters parameters = {
          torch::randn({4, 2 * width}), torch::randn({4}), torch::rand({width}),
          torch::randn({width})};
      // Without edges rows hear nobody, in the whole and alone. The gradient
      // shows the mask of backward.
      const auto run = [&](const at::Tensor& rows, const DropoutKey& key) {
        const at::Tensor leaf =
            rows.detach().clone().to(dtype).set_requires_grad(true);
        OrderedLayerSettings settings;
        settings.dropout = 0.4;
        settings.dropout_key = key;
        const at::Tensor out =
            ordered_layer(
                Graph::from_edges(rows.size(0),
                                  std::vector<std::pair<int64_t, int64_t>>{}),
                {leaf}, parameters, settings)
                .h;
        out.sum().backward();
        return std::make_pair(out.detach(), leaf.grad());
      };
      const auto whole = run(h, some.whole);
      const auto rows = run(h.index_select(0, some.nodes), some.key());
      EXPECT_TRUE(
          torch::equal(rows.first, whole.first.index_select(0, some.nodes)));
      EXPECT_TRUE(
          torch::equal(rows.second, whole.second.index_select(0, some.nodes)));
    }
  }
}

TEST(DropoutOfNodes, RefusesNodesOfAnotherNumberOfRows) {
  const SomeRows some;
  EXPECT_THROW(dropout(torch::ones({4, 3}), 0.5, some.key()), c10::Error);
}

}  // namespace
}  // namespace ordered_gnn
