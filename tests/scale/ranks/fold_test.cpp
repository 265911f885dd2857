#include "scale/ranks/fold.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "scale/engines/local_group.h"

namespace ordered_gnn::scale {
namespace {

// The sum over parts as `ranks` ranks make it.
at::Tensor folded(const std::vector<at::Tensor>& parts,
                  const std::vector<int64_t>& bounds) {
  const auto ranks = static_cast<int64_t>(bounds.size()) - 1;
  LocalHub hub(ranks);
  at::Tensor result;
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      const auto group = hub.rank(r);
      std::vector<at::Tensor> own;
      for (int64_t p = bounds[r]; p < bounds[r + 1]; ++p) {
        own.push_back(parts[p].clone());
      }
      const at::Tensor sum = fold_parts(*group, bounds, std::move(own));
      if (r == 0) result = sum;
      EXPECT_EQ(sum.defined(), r == 0);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

TEST(FoldParts, AddsInOneTreeWhoeverHoldsTheParts) {
  torch::manual_seed(3);
  std::vector<at::Tensor> parts;
  for (int p = 0; p < 7; ++p) {
    parts.push_back(torch::randn({50}) * std::pow(10.0, p - 3));
  }
  const at::Tensor one = folded(parts, {0, 7});
  // By hand: (0 + (1 + 2)) + ((3 + 4) + (5 + 6)).
  const at::Tensor tree = (parts[0] + (parts[1] + parts[2])) +
                          ((parts[3] + parts[4]) + (parts[5] + parts[6]));
  EXPECT_TRUE(torch::equal(one, tree));
  EXPECT_FALSE(torch::equal(one, torch::stack(parts).sum(0)));
  const std::vector<std::vector<int64_t>> shares = {
      {0, 3, 7}, {0, 1, 7}, {0, 2, 3, 7}, {0, 1, 2, 3, 4, 5, 6, 7}};
  for (const auto& bounds : shares) {
    EXPECT_TRUE(torch::equal(folded(parts, bounds), one)) << bounds.size();
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
