// Rows of a part, whose masks are those of their nodes.
#include "cuda/cuda_support.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/ordered_layer.h"
#include "support/device_layer.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

class CudaDropoutNodes : public CudaTest {
 protected:
  static constexpr int64_t kRows = 60;

  static DropoutKey key(at::Device device) {
    const at::Tensor nodes = torch::arange(kRows, torch::kLong) * 37 % 1009;
    const at::Tensor step = torch::tensor({11}, torch::kLong);
    return {/*seed=*/5, torch::cat({step, nodes}).to(device), /*site=*/2};
  }
};

TEST_F(CudaDropoutNodes, AreThoseOfTheCpu) {
  for (const int64_t width : {1, 6, 8, 64, 130, 300}) {
    SCOPED_TRACE(width);
    expect_parity(
        [](at::Device device, const Tensors& in) {
          return Tensors{dropout(in[0], 0.4, key(device))};
        },
        {uniform({kRows, width}, 1)});
  }
}

TEST_F(CudaDropoutNodes, ReachANormAndItsBackward) {
  for (const int64_t width : {6, 64, 300}) {
    SCOPED_TRACE(width);
    expect_parity(
        [](at::Device device, const Tensors& in) {
          return Tensors{layer_norm(in[0], in[1], in[2],
                                    {1e-5, /*relu=*/true, 0.3, key(device)})};
        },
        {uniform({kRows, width}, 1), uniform({width}, 2), uniform({width}, 3)});
  }
}

TEST_F(CudaDropoutNodes, ReachALayerAndItsBackward) {
  const Graph graph = random_graph(kRows, 300, 3);
  for (const int64_t width : {16, 64, 256}) {
    SCOPED_TRACE(width);
    expect_parity(
        [&](at::Device device, const Tensors& in) {
          OrderedLayerSettings settings;
          settings.dropout = 0.3;
          settings.dropout_key = key(device);
          const Graph there = graph.to(device);
          const auto result = ordered_layer(
              there, {in[0], in[1], there.inverse_in_degree(), {}},
              {in[2], in[3], in[4], in[5]}, settings);
          return Tensors{result.h, result.gate};
        },
        layer_inputs(kRows, width / 4, width));
  }
}

TEST_F(CudaDropoutNodes, ReachSparseFeatures) {
  const at::Tensor dense =
      (uniform({kRows, 30}, 4) * uniform({kRows, 30}, 5).gt(0.2))
          .to(torch::kFloat);
  SparseRows list;
  list.rowptr = torch::cat({torch::zeros({1}, torch::kLong),
                            dense.ne(0).sum(1).cumsum(0).to(torch::kLong)});
  list.col = dense.nonzero().select(1, 1).to(torch::kInt);
  list.value = dense.masked_select(dense.ne(0));
  const NodeFeatures features = NodeFeatures::sparse(list, 30);
  expect_parity(
      [&](at::Device device, const Tensors& in) {
        return Tensors{feature_linear(features.to(device), in[0], in[1], 0.5,
                                      key(device))};
      },
      {uniform({16, 30}, 6), uniform({16}, 7)});
}

}  // namespace
}  // namespace ordered_gnn
