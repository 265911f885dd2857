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
  EXPECT_EQ(scoring_bytes(manifest, {0, 1}), scores);
  const SpillEstimate tight =
      estimate_forward(manifest, {0, 1}, options, /*memory=*/1000, 100);
  EXPECT_EQ(tight.least_memory, lists + layer + scores + 100);
  EXPECT_EQ(tight.kept, lists + features + 2 * states);
  EXPECT_EQ(tight.surely_kept, lists + features + states);
  EXPECT_EQ(tight.moved, 2 * states * 3);
  EXPECT_EQ(estimate_forward(manifest, {0, 1}, options, 2000, 100).moved, 0);
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
          estimate_forward(manifest, parts, options, memory, 1)}) {
      EXPECT_EQ(estimate.least_memory, most);
      EXPECT_EQ(estimate.kept, most);
      EXPECT_EQ(estimate.surely_kept, most);
      EXPECT_EQ(estimate.moved, most);
    }
    EXPECT_EQ(scoring_bytes(manifest, parts), most);
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
