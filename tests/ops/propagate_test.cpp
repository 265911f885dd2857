#include "ordered_gnn/ops/propagate.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "support/graphs.h"
#include "support/reference.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

at::Tensor plain_propagation(const Graph& graph, const at::Tensor& start,
                             const Propagation& how) {
  at::Tensor z = start;
  for (int64_t k = 0; k < how.hops; ++k) {
    z = (1 - how.start_share) * reference::gcn_aggregate(graph, z) +
        how.start_share * start;
    if (how.fixed.defined()) z = torch::where(how.fixed, start, z);
  }
  return z;
}

TEST(Propagate, MatchesItsFormulaWithGradientsOnEverySmallGraph) {
  for (const auto& [name, graph] : small_graphs()) {
    SCOPED_TRACE(name);
    const Graph& g = graph;
    const at::Tensor fixed =
        torch::arange(g.num_nodes()).remainder(3).eq(0).unsqueeze(1);
    for (const at::Tensor& rows : {at::Tensor(), fixed}) {
      const Propagation how{0.2, 3, rows};
      expect_matches(
          [&](const Tensors& in) { return Tensors{propagate(g, in[0], how)}; },
          [&](const Tensors& in) {
            return Tensors{plain_propagation(g, in[0], how)};
          },
          {random_tensor({g.num_nodes(), 4}, at::kDouble, 61)});
    }
  }
}

TEST(Propagate, SecondGradientsAgreeWithCentralDifferences) {
  const Graph graph = random_graph(9, 20, 3);
  const auto gradient = [&](const Tensors& in) {
    const at::AutoGradMode enable(true);
    at::Tensor start = in[0];
    if (!start.requires_grad()) start = start.detach().requires_grad_();
    const at::Tensor out = propagate(graph, start, {0.3, 3, {}}).pow(3).sum();
    return torch::autograd::grad({out}, {start}, {}, /*retain_graph=*/true,
                                 /*create_graph=*/true);
  };
  EXPECT_TRUE(gradients_match(
      gradient, {{"start", random_tensor({9, 2}, at::kDouble, 5)}}));
}

TEST(Propagate, AcceptsStridedInputsAndInferenceMode) {
  const Graph graph = random_graph(30, 90, 4);
  const TensorFunction op = [&](const Tensors& in) {
    return Tensors{propagate(graph, in[0], {0.2, 2, {}})};
  };
  const Tensors inputs = {random_tensor({30, 5}, at::kFloat, 6)};
  expect_accepts_strided(op, inputs);
  expect_runs_in_inference_mode(op, inputs);
  expect_same_bits_for_any_threads(op, inputs);
}

TEST(Propagate, FixedRowsKeepTheirStart) {
  const Graph graph = star(6);
  const at::Tensor start = random_tensor({6, 2}, at::kDouble, 62);
  at::Tensor fixed = torch::zeros({6, 1}, at::kBool);
  fixed[0] = true;
  const at::Tensor z = propagate(graph, start, {0.5, 4, fixed});
  EXPECT_TRUE(torch::equal(z[0], start[0]));
  EXPECT_FALSE(torch::equal(z[1], start[1]));
}

TEST(Propagate, NoStepsLeaveTheRowsAsTheyAre) {
  const at::Tensor start = random_tensor({3, 2}, at::kFloat, 63);
  EXPECT_TRUE(torch::equal(propagate(chain(3), start, {0.5, 0, {}}), start));
}

}  // namespace
}  // namespace ordered_gnn
