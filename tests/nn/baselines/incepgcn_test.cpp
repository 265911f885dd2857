#include <gtest/gtest.h>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(IncepGcn, BranchesOfTwoDepthsByHand) {
  const auto model = hand_made("incepgcn", {{"layers", 4}, {"hidden", 1}},
                               {{"input.0.weight", matrix({{1}})},
                                {"branches.0.0.weight", matrix({{2}})},
                                {"branches.1.0.weight", matrix({{3}})},
                                {"branches.1.1.weight", matrix({{5}})},
                                {"output.weight", matrix({{1, 10, 100}})}});
  // Without edges but loops Â is the identity.
  const Graph loops = Graph::from_edges(
      2, std::vector<std::pair<int64_t, int64_t>>{}, {{}, SelfLoops::add});
  EXPECT_TRUE(close_to(exact_logits(*model, loops, features_of({{1}, {2}})),
                       matrix({{1 + 20 + 1500}, {2 + 40 + 3000}})));
}

TEST(IncepGcn, DepthsWithoutASenseAreRefused) {
  for (const int64_t layers : {1, 129}) {
    EXPECT_TRUE(contains(refusal("incepgcn", {{"layers", layers}}),
                         "--layers must be 2 to 128"));
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
