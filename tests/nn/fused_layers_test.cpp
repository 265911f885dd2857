// The fused path and one op after the other are two ways to the same numbers,
// whatever the switches, also where the fused path has to fall back.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/function.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <map>
#include <set>

#include "nn/every_network.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/tensors.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kGraphNodes = 40;
constexpr int64_t kInputs = 7;
constexpr int64_t kLabels = 3;

std::vector<OrderedGnnOptions> all_combinations() {
  std::vector<OrderedGnnOptions> all;
  OrderedGnnOptions base;
  set_small_network(base, 20);  // no multiple of any vector
  for_every_network(base, [&](OrderedGnnOptions options) {
    for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
      options.residual = (flags & 1) != 0;
      options.tied_gates = (flags & 2) != 0;
      options.dropout_theta = (flags & 4) != 0 ? 0.3 : 0;
      options.dropout_xi = (flags & 4) != 0 ? 0.2 : 0;
      all.push_back(options);
    }
  });
  return all;
}

// The same with a transform, whose norm is another switch.
std::vector<OrderedGnnOptions> with_transforms() {
  std::vector<OrderedGnnOptions> all;
  for (OrderedGnnOptions options : all_combinations()) {
    options.transform = Transform::linear;
    for (const Norm norm : {Norm::layer, Norm::batch, Norm::none}) {
      options.candidate_norm = norm;
      all.push_back(options);
    }
  }
  return all;
}

std::string describe(const OrderedGnnOptions& options) {
  return to_string(options.gating) + " " + to_string(options.aggregator) +
         " norm " + to_string(options.norm) +
         (options.transform == Transform::linear
              ? " transform " + to_string(options.candidate_norm)
              : "") +
         (options.residual ? " residual" : "") +
         (options.tied_gates ? " tied" : "") +
         (options.dropout_xi > 0 ? " dropout" : "");
}

// As the header of the model states it.
bool is_fused(const OrderedGnnOptions& options) {
  return (options.gating == Gating::ordered ||
          options.gating == Gating::softor) &&
         (options.aggregator == Aggregator::mean ||
          options.aggregator == Aggregator::gcn ||
          options.aggregator == Aggregator::sum) &&
         (options.norm == Norm::layer ||
          options.transform == Transform::linear) &&
         !options.residual;
}

int count_fused_layers(const torch::autograd::Node* node,
                       std::set<const torch::autograd::Node*>& seen) {
  if (node == nullptr || !seen.insert(node).second) return 0;
  const std::string name = node->name();
  int count = name.find("OrderedLayer") != std::string::npos ||
              name.find("CandidateLayer") != std::string::npos;
  for (const torch::autograd::Edge& edge : node->next_edges()) {
    count += count_fused_layers(edge.function.get(), seen);
  }
  return count;
}

struct Step {
  double loss = 0;
  int fused_layers = 0;
  /// Gradients and, of batch norms, the running statistics afterwards.
  std::map<std::string, at::Tensor> results;
};

// Loss and gradients of a freshly made model, the same for the same options.
Step step_of(const char* name, const OrderedGnnOptions& network, bool fused,
             at::ScalarType dtype, int64_t edges = 130) {
  const Graph graph = random_graph(kGraphNodes, edges, 6);
  const NodeFeatures features = NodeFeatures::dense(
      random_tensor({kGraphNodes, kInputs}, at::kFloat, 17));
  ModelOptions options;
  static_cast<OrderedGnnOptions&>(options) = network;
  const auto model =
      create_model(name, {kInputs, kLabels}, options, /*seed=*/3);
  model->to(dtype);
  ForwardContext context{/*training=*/true, /*seed=*/5, /*step=*/2};
  context.fused = fused;
  const at::Tensor loss = torch::nn::functional::cross_entropy(
      model->forward(graph, features, context),
      torch::arange(kGraphNodes, at::kLong).remainder(kLabels));
  Step step;
  step.loss = loss.item<double>();
  std::set<const torch::autograd::Node*> seen;
  step.fused_layers = count_fused_layers(loss.grad_fn().get(), seen);
  loss.backward();
  for (const auto& item : model->named_parameters()) {
    step.results[item.key()] = item.value().grad();
  }
  for (const auto& item : model->named_buffers()) {
    step.results[item.key()] = item.value();
  }
  return step;
}

// Every element within a share of the largest one.
void expect_same_step(const Step& got, const Step& expected, double share) {
  EXPECT_NEAR(got.loss, expected.loss, share * expected.loss);
  ASSERT_EQ(got.results.size(), expected.results.size());
  for (const auto& [name, wanted] : expected.results) {
    const at::Tensor& found = got.results.at(name);
    ASSERT_EQ(found.defined(), wanted.defined()) << name;
    if (!found.defined()) continue;
    const double allowed = share * (1e-3 + wanted.abs().max().item<double>());
    EXPECT_LE((found - wanted).abs().max().item<double>(), allowed) << name;
  }
}

void expect_composed_step(const OrderedGnnOptions& options,
                          at::ScalarType dtype, double share) {
  SCOPED_TRACE(describe(options));
  const Step fused = step_of("ordered_gnn", options, true, dtype);
  const Step composed = step_of("ordered_gnn", options, false, dtype);
  expect_same_step(fused, composed, share);
  // Otherwise there was nothing to compare.
  EXPECT_EQ(fused.fused_layers, is_fused(options) ? options.layers : 0);
  EXPECT_EQ(composed.fused_layers, 0);
}

TEST(FusedLayers, GiveLossAndGradientsOfTheComposedOnesForAllSwitches) {
  for (const OrderedGnnOptions& options : all_combinations()) {
    expect_composed_step(options, at::kDouble, 1e-12);
    expect_composed_step(options, at::kFloat, 2e-5);
  }
}

TEST(FusedLayers, WithATransformGiveThoseOfTheComposedOnes) {
  for (const OrderedGnnOptions& options : with_transforms()) {
    // Those of ordered_gnn_test are as many without a kernel.
    if (!is_fused(options) && options.aggregator != Aggregator::mean) continue;
    expect_composed_step(options, at::kDouble, 1e-9);
  }
}

TEST(FusedLayers, AreTheComposedOnesWhereNodesHaveManyNeighbours) {
  // What a layer keeps for backward depends on how much a gather costs.
  std::vector<OrderedGnnOptions> all = all_combinations();
  for (const OrderedGnnOptions& options : with_transforms()) {
    if (options.aggregator == Aggregator::mean) all.push_back(options);
  }
  for (const OrderedGnnOptions& options : all) {
    if (!is_fused(options)) continue;
    SCOPED_TRACE(describe(options));
    for (const int64_t edges : {0, 20, 3000}) {
      expect_same_step(
          step_of("ordered_gnn", options, true, at::kDouble, edges),
          step_of("ordered_gnn", options, false, at::kDouble, edges),
          options.transform == Transform::none ? 1e-12 : 1e-9);
    }
  }
}

void expect_composed_logits(const OrderedGnnOptions& options,
                            const Graph& graph, const NodeFeatures& features) {
  SCOPED_TRACE(describe(options));
  OrderedGnn model({kInputs, kLabels}, options, /*seed=*/3);
  model.to(at::kDouble);
  ForwardContext context;
  ForwardTrace fused, composed;
  const at::Tensor got = model.forward(graph, features, context, &fused);
  context.fused = false;
  const at::Tensor expected =
      model.forward(graph, features, context, &composed);
  EXPECT_TRUE(torch::allclose(got, expected, 1e-10, 1e-10));
  EXPECT_TRUE(
      torch::allclose(fused.gates.back(), composed.gates.back(), 1e-10, 1e-10));
}

TEST(FusedLayers, GiveTheComposedLogitsInEvaluation) {
  // Nothing is kept for backward, so blocks work in scratch memory.
  const torch::NoGradGuard no_grad;
  const Graph graph = large_graph();
  const NodeFeatures features = NodeFeatures::dense(
      random_tensor({graph.num_nodes(), kInputs}, at::kFloat, 18));
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum}) {
    for (const Gating gating : {Gating::ordered, Gating::softor}) {
      OrderedGnnOptions options = all_combinations().back();
      options.norm = Norm::layer;
      options.residual = false;
      options.aggregator = aggregator;
      options.gating = gating;
      expect_composed_logits(options, graph, features);
      options.transform = Transform::linear;
      for (const Norm norm : {Norm::layer, Norm::batch, Norm::none}) {
        options.candidate_norm = norm;
        options.norm = norm == Norm::none ? Norm::batch : norm;
        expect_composed_logits(options, graph, features);
      }
    }
  }
}

TEST(FusedLayers, OfAnMlpAreItsInputNorms) {
  OrderedGnnOptions options = all_combinations().back();
  for (const double dropout : {0.0, 0.3}) {
    options.dropout_theta = dropout;
    expect_same_step(step_of("mlp", options, true, at::kDouble),
                     step_of("mlp", options, false, at::kDouble), 1e-12);
  }
}

}  // namespace
}  // namespace ordered_gnn::nn
