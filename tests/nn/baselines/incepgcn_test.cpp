#include "nn/baselines/incepgcn.h"

#include <gtest/gtest.h>

#include "nn/hand_worked.h"
#include "support/errors.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

TEST(IncepGcn, BranchesOfTwoDepthsByHand) {
  ModelOptions options;
  options.layers = 4;
  options.hidden = 1;
  IncepGcn model({1, 1}, options, 1);
  set_parameter(model, "input.0.weight", matrix({{1}}));
  set_parameter(model, "branches.0.0.weight", matrix({{2}}));
  set_parameter(model, "branches.1.0.weight", matrix({{3}}));
  set_parameter(model, "branches.1.1.weight", matrix({{5}}));
  set_parameter(model, "output.weight", matrix({{1, 10, 100}}));
  // Without edges but loops Â is the identity.
  const Graph loops = Graph::from_edges(
      2, std::vector<std::pair<int64_t, int64_t>>{}, {{}, SelfLoops::add});
  EXPECT_TRUE(close_to(exact_logits(model, loops, features_of({{1}, {2}})),
                       matrix({{1 + 20 + 1500}, {2 + 40 + 3000}})));
}

TEST(IncepGcn, DepthsWithoutASenseAreRefused) {
  for (const int64_t layers : {1, 129}) {
    ModelOptions options;
    options.layers = layers;
    EXPECT_TRUE(contains(error_of([&] {
                           create_model("incepgcn", {1, 1}, options, 1);
                         }),
                         "--layers must be 2 to 128"));
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
