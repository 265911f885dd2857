#include "ops/cpu/chunk_shares.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/parallel.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

TEST(ChunkShares, AreSummedToTheBitsOfLibTorchForAnyNumberOfThreads) {
  for (const int64_t chunks : {1, 2, 7, 16, 17, 40}) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
      const at::Tensor shares = random_tensor({chunks, 61, 173}, type, 3);
      for (const int threads : {1, 2, 5}) {
        const ThreadScope scope(threads);
        const at::Tensor sum = cpu::sum_of_shares(shares);
        EXPECT_TRUE(torch::equal(sum, shares.sum(0)))
            << chunks << " chunks, " << threads << " threads";
      }
    }
  }
}

TEST(ChunkShares, OfNoChunkAreZeros) {
  EXPECT_TRUE(torch::equal(cpu::sum_of_shares(torch::empty({0, 3, 2})),
                           torch::zeros({3, 2})));
}

TEST(ChunkShares, StartAsZeros) {
  const at::Tensor zeros = cpu::zero_shares({3, 70000}, torch::kDouble);
  EXPECT_TRUE(torch::equal(zeros, torch::zeros({3, 70000}, torch::kDouble)));
}

}  // namespace
}  // namespace ordered_gnn
