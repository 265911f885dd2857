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

}  // namespace
}  // namespace ordered_gnn::lab
