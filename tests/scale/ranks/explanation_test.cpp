// What is said of a graph in parts is what is said of the graph.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "ordered_gnn/explain/graph_explanation.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

struct ExplainedCase {
  std::string name, data;
  RunOptions options;
};

void PrintTo(const ExplainedCase& one, std::ostream* out) { *out << one.name; }

// NaN where the other has it, too.
void expect_same(double a, double b) {
  EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " " << b;
}

void expect_same_floats(const std::vector<float>& a,
                        const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same_nodes(const NodeTable& a, const NodeTable& b) {
  EXPECT_EQ(a.num_hops, b.num_hops);
  EXPECT_EQ(a.share_source, b.share_source);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.predicted, b.predicted);
  EXPECT_EQ(a.degree, b.degree);
  EXPECT_EQ(a.part, b.part);
  expect_same_floats(a.confidence, b.confidence);
  expect_same_floats(a.homophily, b.homophily);
  expect_same_floats(a.hop_shares, b.hop_shares);
  expect_same_floats(a.open_gates, b.open_gates);
}

void expect_same_layer(const LayerExplanation& a, const LayerExplanation& b) {
  EXPECT_EQ(a.layer, b.layer);
  EXPECT_EQ(a.width, b.width);
  expect_same(a.spread.mean_norm, b.spread.mean_norm);
  expect_same(a.spread.mean_distance, b.spread.mean_distance);
  expect_same(a.spread.relative_distance, b.spread.relative_distance);
  expect_same(a.spread.mean_square_distance, b.spread.mean_square_distance);
  expect_same(a.spread.dirichlet_energy, b.spread.dirichlet_energy);
  expect_same(a.spread.relative_energy, b.spread.relative_energy);
  expect_same(a.spread.mean_cosine, b.spread.mean_cosine);
  ASSERT_EQ(a.gates.has_value(), b.gates.has_value());
  if (!a.gates) return;
  expect_same(a.gates->mean_split, b.gates->mean_split);
  expect_same(a.gates->mean_expected_split, b.gates->mean_expected_split);
  expect_same(a.gates->saturated, b.gates->saturated);
  ASSERT_EQ(a.gates->gates.size(), b.gates->gates.size());
  for (size_t g = 0; g < a.gates->gates.size(); ++g) {
    const GateSummary& one = a.gates->gates[g];
    const GateSummary& other = b.gates->gates[g];
    expect_same(one.mean, other.mean);
    expect_same(one.saturated, other.saturated);
    expect_same(one.numbers.median, other.numbers.median);
    expect_same(one.numbers.max, other.numbers.max);
  }
}

void expect_same_lists(const GraphExplanation& a, const GraphExplanation& b) {
  const auto expect_listed = [](const std::vector<ListedNode>& one,
                                const std::vector<ListedNode>& other) {
    ASSERT_EQ(one.size(), other.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].node, other[i].node);
      expect_same(one[i].value, other[i].value);
    }
  };
  expect_listed(a.mistakes, b.mistakes);
  expect_listed(a.unusual, b.unusual);
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (size_t i = 0; i < a.parts.size(); ++i) {
    EXPECT_EQ(a.parts[i].name, b.parts[i].name);
    expect_same(a.parts[i].accuracy, b.parts[i].accuracy);
    expect_same(a.parts[i].calibration_error, b.parts[i].calibration_error);
  }
  ASSERT_EQ(a.by_class.size(), b.by_class.size());
  for (size_t c = 0; c < a.by_class.size(); ++c) {
    EXPECT_EQ(a.by_class[c].name, b.by_class[c].name);
    EXPECT_EQ(a.by_class[c].hop_shares, b.by_class[c].hop_shares);
  }
}

GraphExplanation explain_in_parts(const std::filesystem::path& folder,
                                  RunOptions options, NodeModel& model,
                                  int64_t ranks, int64_t split,
                                  const scale::SpillOptions* spill = nullptr) {
  const PartsRead parts(folder, options, scale::Wire::fp32);
  GraphExplanation out;
  scale::run_local(ranks, folder, parts.manifest, options,
                   [&](scale::Group& group, int64_t threads) {
                     scale::PartsRun run(
                         {group, folder, parts.manifest, options, threads,
                          scale::Wire::fp32, spill},
                         parts.scored);
                     out = run.explain(model, split);
                   });
  return out;
}

class ExplainedParts : public ::testing::TestWithParam<ExplainedCase> {};

TEST_P(ExplainedParts, HaveTheBitsOfTheWholeGraph) {
  const TempDir dir;
  const NodeDataset data = parts_data(GetParam().data);
  const auto folder = write_test_parts(data, 5, dir / "g.parts");
  const Trained trained = train(data, 0, GetParam().options);
  for (const int64_t split : {0, -1}) {
    GraphExplanationOptions options;
    options.split = split;
    const GraphExplanation whole = explain_graph(*trained.model, data, options);
    for (const int64_t ranks : {1, 2, 3}) {
      SCOPED_TRACE(ranks);
      const GraphExplanation parts = explain_in_parts(
          folder, GetParam().options, *trained.model, ranks, split);
      expect_same_nodes(parts.nodes, whole.nodes);
      expect_same_lists(parts, whole);
      ASSERT_EQ(parts.layers.size(), whole.layers.size());
      for (size_t k = 0; k < whole.layers.size(); ++k) {
        expect_same_layer(parts.layers[k], whole.layers[k]);
      }
    }
  }
}

RunOptions two_epochs(const std::string& model) {
  RunOptions options = small_run(model);
  options.train.epochs = 2;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ExplainedParts,
    ::testing::ValuesIn(std::vector<ExplainedCase>{
        {"few_nodes", "", two_epochs("ordered_gnn")},
        // More pairs than are measured, and more nodes than a block of sums.
        {"drawn_pairs", "&nodes=2600&directed=true", two_epochs("ordered_gnn")},
        {"bare_gnn", "", two_epochs("bare_gnn")},
        {"no_layers", "", two_epochs("mlp")}}),
    [](const auto& info) { return info.param.name; });

TEST(ExplainedGraph, HasTheBitsOfMemory) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const auto folder = write_test_parts(data, 4, dir / "g.parts");
  const RunOptions options = two_epochs("ordered_gnn");
  const Trained trained = train(data, 0, options);
  const scale::SpillOptions spill = tight_spill(dir / "spill");
  const GraphExplanation on_disk =
      explain_in_parts(folder, options, *trained.model, 1, 0, &spill);
  const GraphExplanation whole = explain_graph(*trained.model, data);
  expect_same_nodes(on_disk.nodes, whole.nodes);
  for (size_t k = 0; k < whole.layers.size(); ++k) {
    expect_same_layer(on_disk.layers[k], whole.layers[k]);
  }
}

TEST(ExplainedGraph, NamesThePartThatIsNotFinite) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const auto folder = write_test_parts(data, 3, dir / "g.parts");
  const RunOptions options = two_epochs("ordered_gnn");
  const Trained trained = train(data, 0, options);
  {
    const torch::NoGradGuard no_grad;
    trained.model->parameters().front().fill_(
        std::numeric_limits<float>::quiet_NaN());
  }
  EXPECT_TRUE(contains(error_of([&] {
                         explain_in_parts(folder, options, *trained.model, 2,
                                          0);
                       }),
                       "whose nodes are numbered from 0: gate 0 of "
                       "node 0 is nan"));
}

}  // namespace
}  // namespace ordered_gnn
