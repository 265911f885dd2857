#include "scale/parts/estimate.h"

#include <gtest/gtest.h>

#include "core/saturated_count.h"
#include "scale/parts_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

TEST(ScaleEstimate, CountsRowsOnTheWireByHand) {
  // 10 rows forward, 6 backward, of which the last of 3 layers takes 4 and 1;
  // width 8 in float32, a quarter of the elements dropped.
  const HaloRows halo{10, 6, 4, 1};
  EXPECT_EQ(training_wire_bytes(halo, {3, 8, 0.25}),
            (2 * 10 + 4) * 6 * 4 + (2 * 6 + 1) * 8 * 4);
  EXPECT_EQ(training_wire_bytes(halo, {3, 8, 0, 2}),
            (2 * 10 + 4 + 2 * 6 + 1) * 8 * 2);
  EXPECT_EQ(evaluation_wire_bytes(halo, {3, 8, 0.25}), 10 * 3 * 8 * 4);
}

TEST(ScaleEstimate, MoreRanksTakeLessMemoryAndMoreOfTheWire) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const Assignment assignment = assign_parts(data, 8, "stream");
  const PartsPlan plan = make_plan(assignment, 8);
  const PartsManifest manifest =
      write_parts(data, assignment, 8, "stream", dir / "g.parts", false);
  ModelOptions network;
  const auto cost = [&](int64_t ranks) {
    return estimate(manifest,
                    halo_rows(data.graph, plan, ranks, data.splits[0].train),
                    ranks, network);
  };
  EXPECT_EQ(cost(1).train_bytes, 0);
  EXPECT_LT(cost(2).train_bytes, cost(8).train_bytes);
  EXPECT_LT(cost(8).rank_memory, cost(2).rank_memory);
  EXPECT_LT(cost(2).rank_memory, cost(1).rank_memory);
}

TEST(ScaleEstimate, StaysAtTheMostForWhatIsTooLarge) {
  const PartsManifest manifest = huge_manifest();
  const int64_t rows = manifest.num_nodes;
  const auto most = static_cast<int64_t>(core::kMostCounted);
  RunOptions options;
  options.network.layers = 10000;
  options.network.hidden = 1 << 20;
  for (const int64_t ranks : {1, 2}) {
    const ScaleEstimate cost =
        estimate(manifest, {rows, rows, rows, rows}, ranks, options.network);
    EXPECT_EQ(cost.train_bytes, most);
    EXPECT_EQ(cost.eval_bytes, most);
    EXPECT_EQ(cost.rank_memory, most);
  }
  EXPECT_EQ(least_training_bytes(manifest, 0, 2, options), most);
}

}  // namespace
}  // namespace ordered_gnn::scale
