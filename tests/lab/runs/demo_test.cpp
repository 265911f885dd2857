#include "lab/runs/demo.h"

#include <gtest/gtest.h>

#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::lab {
namespace {

TEST(Demo, TheTwoGraphsAreWhatTheyAreCalled) {
  ASSERT_EQ(demo_graphs().size(), 2u);
  const auto homophily = [](const DemoGraph& graph) {
    DataOptions options;
    options.data = graph.spec;
    return compute_statistics(resolve_dataset(options)).edge_homophily;
  };
  EXPECT_GT(homophily(demo_graphs()[0]), 0.6);
  EXPECT_LT(homophily(demo_graphs()[1]), 0.3);
}

TEST(Demo, SystemsDifferInNothingButTheModel) {
  ASSERT_EQ(demo_systems().size(), 3u);
  for (const DemoSystem& system : demo_systems()) {
    RunOptions options = demo_options(demo_graphs()[0], system);
    options.model = "ordered_gnn";
    options.network.gating = Gating::softor;
    EXPECT_EQ(to_json(options),
              to_json(demo_options(demo_graphs()[0], demo_systems()[2])));
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
