#include "lab/bench/scale_bench.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <limits>
#include <set>

#include "ordered_gnn/data/registry.h"
#include "scale/engines/gloo.h"
#include "scale/parts/assign.h"
#include "scale/parts/writer.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

RankedShape small_shape() {
  RankedShape shape = find_ranked_shape("4000,20000,6,3");
  shape.halo_ratio = 0.25;
  return shape;
}

ScaleBenchOptions small_bench() {
  ScaleBenchOptions options;
  options.run = tiny_run();
  options.run.execution.threads = 1;
  options.drawn.ranks = 4;
  options.drawn.rank = 1;
  options.drawn.parts = 8;
  options.epochs = 1;
  return options;
}

// Nodes of other ranks in the lists of a rank.
std::set<int64_t> halo_of(const DrawnRank& drawn, int64_t first, int64_t last) {
  std::set<int64_t> halo;
  const std::vector<int64_t>& bounds = drawn.manifest().bounds;
  for (int64_t part = first; part < last; ++part) {
    const scale::Part own = drawn.draw(part);
    const auto* const col = own.in.col.data_ptr<int32_t>();
    for (int64_t e = 0; e < own.in.col.numel(); ++e) {
      if (col[e] < bounds[first] || col[e] >= bounds[last]) halo.insert(col[e]);
    }
  }
  return halo;
}

TEST(DrawnRank, IsDrawnWhereListsCanNameAllNodes) {
  const RankedShape large = find_ranked_shape("3000000000,3000000000,1,2");
  ScaleBenchOptions options = small_bench();
  DrawnRank drawn(large, options.drawn);
  EXPECT_FALSE(drawn.can_draw());
  EXPECT_TRUE(
      contains(error_of([&] { drawn.draw_lists(); }), "give a larger --scale"));
  options.drawn.scale = 2;
  EXPECT_TRUE(DrawnRank(large, options.drawn).can_draw());
}

TEST(DrawnRank, HasTheHaloAndTheMessagesOfItsShape) {
  DrawnRank drawn(small_shape(), small_bench().drawn);
  drawn.draw_lists();
  const std::set<int64_t> halo = halo_of(drawn, 2, 4);
  EXPECT_EQ(halo.size(), 250U);
  EXPECT_EQ(drawn.halo().in, 1000);
  int64_t messages = 0, trained = 0, rows = 0;
  for (const int64_t part : {2, 3}) {
    const scale::Part own = drawn.draw(part);
    rows += own.rows();
    messages += own.in.col.numel();
    trained += own.splits.eq(1).sum().item<int64_t>();
    EXPECT_EQ(own.first, part * 500);
    EXPECT_TRUE(own.original.diff().eq(1).all().item<bool>());
  }
  EXPECT_EQ(rows, 1000);
  // Ten messages and a loop for every node, but for repeats.
  EXPECT_NEAR(static_cast<double>(messages), 11000, 200);
  EXPECT_NEAR(static_cast<double>(trained), 480, 80);
}

TEST(DrawnRank, AScaledOneIsSmallerAndAlikeOtherwise) {
  ScaleBenchOptions options = small_bench();
  options.drawn.scale = 4;
  DrawnRank drawn(small_shape(), options.drawn);
  drawn.draw_lists();
  EXPECT_EQ(drawn.manifest().num_nodes, 1000);
  EXPECT_NEAR(static_cast<double>(halo_of(drawn, 2, 4).size()), 62, 1);
}

TEST(DrawnRank, RefusesWhatCannotBe) {
  ScaleBenchOptions options = small_bench();
  RankedShape shape = small_shape();
  shape.halo_ratio = 9;
  EXPECT_TRUE(contains(error_of([&] { DrawnRank(shape, options.drawn); }),
                       "would hear 9000 of other ranks, which have 3000"));
  options.drawn.parts = 3;
  EXPECT_TRUE(
      contains(error_of([&] { DrawnRank(small_shape(), options.drawn); }),
               "every rank a part"));
  for (const char* text : {"nowhere", "1,2,3", "1,2,3,4,5", "0,1,2,3", ""}) {
    EXPECT_TRUE(
        contains(error_of([&] { find_ranked_shape(text); }), "ogbn-papers100M"))
        << text;
  }
  EXPECT_EQ(find_ranked_shape("papers100M").nodes, 111059956);
  options.drawn.parts = 100001;
  EXPECT_TRUE(contains(error_of([&] {
                         DrawnRank(find_ranked_shape("papers100M"),
                                   options.drawn);
                       }),
                       "1 to 100000 parts"));
}

TEST(ScaleBench, CountsNoMoreBytesThanCanBeDoubled) {
  ScaleBenchOptions options = small_bench();
  options.drawn.ranks = 2;
  options.run.network.layers = 10000;
  options.run.network.hidden = 1 << 20;
  RankedShape shape = find_ranked_shape("papers100M");
  shape.halo_ratio = 0.5;
  const int64_t bytes = rank_bytes(DrawnRank(shape, options.drawn), options);
  EXPECT_GT(bytes, int64_t{1} << 60);
  // fitting_scale() asks for twice that.
  EXPECT_LE(bytes, std::numeric_limits<int64_t>::max() / 2);
}

TEST(ScaleBench, MeasuresARankAndSendsAsMuchAsItReceives) {
  const ScaleBenchOptions options = small_bench();
  DrawnRank drawn(small_shape(), options.drawn);
  const RankCost cost = measure_rank(drawn, options);
  EXPECT_EQ(cost.nodes, 1000);
  EXPECT_EQ(cost.halo, 250);
  EXPECT_GT(cost.train.seconds, 0);
  EXPECT_GT(cost.parameters, 0);
  const ModelOptions& network = options.run.network;
  EXPECT_EQ(cost.eval.sent,
            static_cast<double>(4 * 250 * network.layers * network.hidden));
  EXPECT_NEAR(cost.train.sent, cost.train.received, 0.1 * cost.train.sent);
}

TEST(ScaleBench, TakesARankOfParts) {
  const TempDir dir;
  const NodeDataset data =
      load_dataset("synthetic:csbm?nodes=400&classes=3&degree=5&features=6");
  scale::write_parts(data, scale::assign_parts(data, 4, "stream"), 4, "stream",
                     dir / "g.parts", true);
  ScaleBenchOptions options = small_bench();
  options.drawn.ranks = 2;
  const RankCost cost = measure_rank(dir / "g.parts", options);
  EXPECT_GT(cost.nodes, 100);
  EXPECT_GT(cost.halo, 0);
  EXPECT_GT(cost.train.sent, 0);
}

TEST(ScaleBench, FindsWhatTheEngineTakes) {
  const std::optional<EngineCost> cost = measure_engine(/*messages=*/64);
  ASSERT_EQ(cost.has_value(), scale::has_gloo());
  if (!cost) return;
  // A message wakes threads, and a byte is copied: neither is for nothing.
  EXPECT_GT(cost->per_message, 0);
  EXPECT_GE(cost->per_byte, 0);
  EXPECT_DOUBLE_EQ((EngineCost{4, 2}).of_end(3, 5), 2 * 3 + 5);
}

TEST(ScaleBench, ModelsAnEpochOfARank) {
  ScaleBenchOptions options = small_bench();
  options.run.network.layers = 3;
  options.drawn.ranks = 256;
  options.eval_every = 2;
  options.gbit = 8;  // a gigabyte per second
  options.latency = 0.001;
  RankCost cost;
  cost.parameters = 250000;
  cost.train = {1, 1, 2e8, 1e8, 100};
  cost.eval = {0.5, 0.5, 1e8, 1e8, 60};
  options.engine = {2e-3, 1e-9};
  options.run.execution.threads = 2;
  const ModelledEpoch epoch = model_epoch(cost, /*scale=*/4, options);
  EXPECT_DOUBLE_EQ(epoch.compute, 4 * 1.25);
  EXPECT_DOUBLE_EQ(epoch.sent, 4 * 2.5e8);
  EXPECT_DOUBLE_EQ(epoch.received, 4 * 1.5e8);
  EXPECT_NEAR(epoch.rows, 1.0 + 7.5 * 0.001, 1e-9);
  EXPECT_NEAR(epoch.gradients, 16 * (0.001 + 0.001), 1e-9);
  // One end of 130 messages, as many as a smaller rank has, and of its bytes;
  // the two threads of the rank share it.
  EXPECT_NEAR(epoch.engine, 130 * 1e-3 + 4 * 4e8 * 0.5e-9, 1e-9);
  EXPECT_DOUBLE_EQ(epoch.busy(), epoch.compute + epoch.engine / 2);
  EXPECT_DOUBLE_EQ(epoch.hidden(), epoch.busy() + epoch.gradients);
  EXPECT_DOUBLE_EQ(epoch.exposed(),
                   epoch.busy() + epoch.rows + epoch.gradients);
}

}  // namespace
}  // namespace ordered_gnn::lab
