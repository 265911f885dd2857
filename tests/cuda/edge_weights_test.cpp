// Graphs whose edges have weights: sums and training on the GPU are those of
// the CPU.
#include "cuda/training_support.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn {
namespace {

class CudaEdgeWeights : public CudaTrainingTest {
 protected:
  CudaEdgeWeights() { data_.graph = weighted(data_.graph, 5); }
};

std::vector<NamedGraph> weighted_graphs() {
  std::vector<NamedGraph> all = small_graphs();
  all.push_back({"no nodes", no_edges(0)});
  all.push_back({"hub", star(2001)});
  all.push_back({"large with a hub", large_graph()});
  for (NamedGraph& item : all) item.graph = weighted(item.graph, 8);
  return all;
}

TEST_F(CudaEdgeWeights, SumsAreThoseOfTheCpu) {
  for (const NamedGraph& item : weighted_graphs()) {
    for (const int64_t width : {1, 5, 64, 301}) {
      SCOPED_TRACE(item.name + " width " + std::to_string(width));
      expect_parity(
          [&](at::Device device, const Tensors& in) {
            const Graph graph = item.graph.to(device);
            return Tensors{mean_aggregate(graph, in[0]),
                           gcn_aggregate(graph, in[0]),
                           sum_aggregate(graph, in[0]),
                           propagate(graph, in[0], {0.2, 3, {}})};
          },
          {uniform({item.graph.num_nodes(), width}, 15)});
    }
  }
}

TEST_F(CudaEdgeWeights, FactorsOfDroppedEdgesAreThoseOfTheCpu) {
  for (const NamedGraph& item : weighted_graphs()) {
    SCOPED_TRACE(item.name);
    const DropoutKey key{1, 2, 3};
    const Graph here = drop_edges(item.graph, 0.4, key);
    const Graph there = drop_edges(item.graph.to(at::kCUDA), 0.4, key);
    // Lists keep their lengths there.
    const auto left = [&](const at::Tensor& values) {
      return values.cpu().narrow(0, 0, here.num_edges());
    };
    EXPECT_TRUE(torch::equal(left(there.weights()), here.weights()));
    EXPECT_TRUE(
        torch::allclose(left(there.factors().mean), here.factors().mean));
    EXPECT_TRUE(torch::allclose(left(there.factors().symmetric),
                                here.factors().symmetric));
  }
}

TEST_F(CudaEdgeWeights, EveryModelTrainsAsOnTheCpu) {
  options_.train.epochs = options_.train.patience = 8;
  const Graph both_ways = data_.graph;
  for (const ModelCase& item : model_cases()) {
    SCOPED_TRACE(item.name);
    RunOptions options = options_;
    options.model = item.model;
    options.network = item.options;
    data_.graph = item.options.directions == Directions::split
                      ? weighted(one_way(both_ways), 5)
                      : both_ways;
    train_on_both(data_, options);
  }
}

TEST_F(CudaEdgeWeights, TrainWithDroppedEdgesAndRecomputedLayers) {
  options_.train.epochs = options_.train.patience = 8;
  options_.train.drop_edge = 0.3;
  train_on_both(data_, options_);
  options_.train.drop_edge = 0;
  options_.network.layers = 9;
  options_.train.checkpoint_layers = true;
  train_on_both(data_, options_);
}

TEST_F(CudaEdgeWeights, RowsOfSixteenBitsAreRefused) {
  options_.execution.math = Math::bf16;
  EXPECT_TRUE(contains(error_of([&] { train(data_, options_); }),
                       "--math bf16 takes no edge weights"));
}

}  // namespace
}  // namespace ordered_gnn
