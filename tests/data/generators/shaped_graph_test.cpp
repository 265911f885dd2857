#include "data/generators/shaped_graph.h"

#include "data/data_support.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

const GraphShape& shape_called(const std::string& name) {
  for (const GraphShape& shape : paper_shapes()) {
    if (shape.name == name) return shape;
  }
  throw Error("no shape " + name);
}

TEST(ShapedGraph, HasTheSizesOfItsShape) {
  for (const char* name : {"cora", "texas", "actor", "chameleon"}) {
    const GraphShape& shape = shape_called(name);
    const RawDataset raw = generate_shaped_graph(shape, {});
    const DatasetStatistics statistics = compute_statistics(raw);
    EXPECT_EQ(statistics.num_nodes, shape.nodes) << name;
    EXPECT_EQ(statistics.num_edges,
              shape.directed ? shape.edges : 2 * shape.edges)
        << name;
    EXPECT_EQ(statistics.num_features, shape.features) << name;
    EXPECT_EQ(statistics.num_classes, shape.classes) << name;
    EXPECT_NEAR(statistics.feature_density, shape.density, 0.15 * shape.density)
        << name;
    EXPECT_NEAR(statistics.edge_homophily, shape.homophily, 0.1) << name;
    EXPECT_EQ(statistics.num_splits, 10) << name;
    EXPECT_TRUE(contains(raw.provenance.notes[0], "not the dataset itself"));
  }
}

TEST(ShapedGraph, SendersAreHeavyTailedAndReceiversAreNot) {
  const DatasetStatistics statistics =
      compute_statistics(generate_shaped_graph(shape_called("actor"), {}));
  EXPECT_GT(statistics.out_degree.max, 100);
  EXPECT_LT(statistics.in_degree.max, 25);
}

TEST(ShapedGraph, DenseShapesHaveDenseFeatures) {
  GraphShape shape = shape_called("ogbn-arxiv");
  shape.nodes = 500;
  shape.edges = 1000;
  const RawDataset raw = generate_shaped_graph(shape, {});
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::dense);
  EXPECT_EQ(raw.features.num_features(), 128);
}

TEST(ShapedGraph, RefusesOptionsOutOfRange) {
  ShapedGraphOptions options;
  options.signal = -1;
  EXPECT_TRUE(contains(
      error_of([&] { generate_shaped_graph(shape_called("cora"), options); }),
      "signal"));
}

}  // namespace
}  // namespace ordered_gnn::data
