#include "scale/spill/spill_estimate.h"

#include <gtest/gtest.h>

#include "core/saturated_count.h"
#include "scale/parts_support.h"

namespace ordered_gnn::scale {
namespace {

TEST(SpillEstimate, CountsAForwardPassByHand) {
  PartsManifest manifest;
  manifest.num_nodes = 10;
  manifest.num_features = 3;
  manifest.num_classes = 2;
  manifest.bounds = {0, 10};
  manifest.parts = {{20, 20, 0, 0, 0}};
  RunOptions options;
  options.network.layers = 3;
  options.network.hidden = 4;
  options.network.chunk = 2;
  // 40 entries of 4 bytes, 5 + 2 numbers of 8 bytes for every node.
  const int64_t lists = 40 * 4 + 10 * 7 * 8, features = 10 * 3 * 4;
  // h, m and the result with what was fetched; 5 gates of 2 numbers.
  const int64_t layer = 4 * 10 * 16 + 5 * 10 * 8, states = 10 * 16;
  const int64_t scores = 10 * (2 * 4 * 8 + 8 * 8);
  EXPECT_EQ(answer_bytes(manifest, {0, 1}, options.network, SpillUse::pass),
            scores);
  const SpillEstimate tight =
      estimate_forward(manifest, {0, 1}, options, /*memory=*/1000, 100);
  EXPECT_EQ(tight.least_memory, lists + layer + scores + 100);
  EXPECT_EQ(tight.kept, lists + features + 2 * states);
  EXPECT_EQ(tight.surely_kept, lists + features + states);
  EXPECT_EQ(tight.moved, 2 * states * 3);
  EXPECT_EQ(estimate_forward(manifest, {0, 1}, options, 2000, 100).moved, 0);
}

// The table of all nodes is rank 0's, and on no disk.
TEST(SpillEstimate, CountsAnExplanationByHand) {
  PartsManifest manifest;
  manifest.num_nodes = 10;
  manifest.num_features = 3;
  manifest.num_classes = 2;
  manifest.bounds = {0, 6, 10};
  manifest.parts = {{20, 20, 0, 0, 0}, {20, 20, 0, 0, 0}};
  RunOptions options;
  options.network.layers = 3;
  options.network.hidden = 4;
  options.network.chunk = 2;
  const auto answers = [&](const PartRange& parts) {
    return answer_bytes(manifest, parts, options.network,
                        SpillUse::explanation);
  };
  // Three numbers of a node, its id, two shares, its split, 4 shares of hops
  // and 3 of gates; its state of a layer, and four numbers of that.
  const int64_t entry = 4 * 8 + 2 * 4 + 1 + 4 * 4 + 3 * 4;
  const int64_t own = entry + 4 * 4 + 4 * 8;
  EXPECT_EQ(answers({1, 2}), 4 * own);
  // Of all nodes besides: the table, eight numbers, a state twice.
  EXPECT_EQ(answers({0, 1}), 6 * own + 10 * (entry + 8 * 8 + 2 * 16));
  const SpillEstimate pass =
      estimate_forward(manifest, {0, 1}, options, /*memory=*/1000, 100);
  const SpillEstimate explanation =
      estimate_explanation(manifest, {0, 1}, options, /*memory=*/1000, 100);
  EXPECT_EQ(explanation.least_memory - pass.least_memory,
            answers({0, 1}) - answer_bytes(manifest, {0, 1}, options.network,
                                           SpillUse::pass));
  EXPECT_GT(explanation.least_memory, pass.least_memory);
  EXPECT_EQ(explanation.surely_kept - pass.surely_kept, 6 * 16 * 3);
}

TEST(SpillEstimate, StaysAtTheMostForWhatIsTooLarge) {
  const PartsManifest manifest = huge_manifest();
  const auto most = static_cast<int64_t>(core::kMostCounted);
  RunOptions options;
  options.network.layers = 10000;
  options.network.hidden = 1 << 20;
  const int64_t memory = int64_t{1} << 30;
  for (const PartRange& parts :
       {PartRange{0, 2}, PartRange{0, 1}, PartRange{1, 2}}) {
    for (const SpillEstimate& estimate :
         {estimate_training(manifest, parts, options, memory, 1),
          estimate_forward(manifest, parts, options, memory, 1),
          estimate_explanation(manifest, parts, options, memory, 1)}) {
      EXPECT_EQ(estimate.least_memory, most);
      EXPECT_EQ(estimate.kept, most);
      EXPECT_EQ(estimate.surely_kept, most);
      EXPECT_EQ(estimate.moved, most);
    }
    for (const SpillUse use : {SpillUse::pass, SpillUse::explanation}) {
      EXPECT_EQ(answer_bytes(manifest, parts, options.network, use), most);
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
