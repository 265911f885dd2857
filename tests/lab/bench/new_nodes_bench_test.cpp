#include "lab/bench/new_nodes_bench.h"

#include <gtest/gtest.h>

#include "ordered_gnn/data/registry.h"
#include "support/datasets.h"

namespace ordered_gnn::lab {
namespace {

TEST(NewNodesBench, TimesBothAndFindsTheSameNumbers) {
  NewNodesBenchOptions options;
  options.run = tiny_run();
  options.run.data.data = "synthetic:csbm?nodes=3000&degree=3&classes=3";
  options.new_nodes = 4;
  options.edges = 2;
  options.repeats = 2;
  const NodeDataset data = load_dataset(options.run.data);
  const NewNodesBench bench = bench_new_nodes(data, options);
  EXPECT_GT(bench.ms_all, 0);
  EXPECT_GT(bench.ms_new, 0);
  EXPECT_LT(bench.difference, 1e-5);
  EXPECT_EQ(bench.last.nodes.numel(), 4);
  EXPECT_EQ(bench.last.whole_because, "");
}

TEST(NewNodesBench, NodesThatJoinANeighbourhoodHearFewOthers) {
  NewNodesBenchOptions options;
  options.run = tiny_run();
  options.run.network.layers = 4;
  options.run.data.data =
      "synthetic:small_world?nodes=3000&degree=4&features=8";
  options.new_nodes = 3;
  options.repeats = 1;
  const NodeDataset data = load_dataset(options.run.data);
  const int64_t anywhere = bench_new_nodes(data, options).last.computed_nodes;
  options.to = NewEdges::near;
  const NewNodesBench bench = bench_new_nodes(data, options);
  EXPECT_LT(bench.difference, 1e-5);
  // Five neighbourhoods of a new node have become one.
  EXPECT_LT(3 * bench.last.computed_nodes, anywhere);
  EXPECT_GE(bench.last.computed_nodes, 3 * (1 + 5));
}

}  // namespace
}  // namespace ordered_gnn::lab
