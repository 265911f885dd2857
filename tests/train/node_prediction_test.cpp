#include "ordered_gnn/train/node_prediction.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "core/simd.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/data/make_dataset.h"
#include "support/errors.h"
#include "support/features.h"
#include "support/model_cases.h"

namespace ordered_gnn::training {
namespace {

constexpr int64_t kNodes = 500, kWidth = 7, kClasses = 3;

// Nodes on a ring that hear from near ones, so that neighbourhoods grow slowly;
// some have loops, some no edge at all, and every eleventh is a small hub.
at::Tensor ring_edges() {
  RandomStream random(7);
  std::vector<int64_t> ends;
  const auto add = [&](int64_t from, int64_t to) {
    ends.push_back((from % kNodes + kNodes) % kNodes);
    ends.push_back((to % kNodes + kNodes) % kNodes);
  };
  for (int64_t v = 0; v < kNodes; ++v) {
    if (v % 13 == 5) continue;
    const int64_t degree = v % 11 == 0 ? 6 : 2;
    for (int64_t k = 0; k < degree; ++k) {
      const auto step = 1 + static_cast<int64_t>(random.below(4));
      add(v + (random.below(2) == 0 ? step : -step), v);
    }
    if (v % 17 == 0) add(v, v);
  }
  return torch::tensor(ends, at::kLong).view({-1, 2});
}

struct Setting {
  const char* name;
  Direction direction;
  SelfLoops loops;
  NodeFeatures::Kind features;
};
const Setting kSettings[] = {
    {"directed", Direction::as_stored, SelfLoops::keep,
     NodeFeatures::Kind::dense},
    {"undirected", Direction::undirected, SelfLoops::add,
     NodeFeatures::Kind::sparse},
};

NodeDataset ring(const Setting& setting) {
  torch::manual_seed(3);
  const at::Tensor values =
      torch::randint(0, 3, {kNodes, kWidth}).to(at::kFloat);
  ArrayOptions options;
  options.treatment = TreatmentChoice(Treatment{
      setting.direction, setting.loops, Treatment::Features::row_normalized});
  for (int64_t v = 0; v < kNodes; ++v) {
    options.node_names.push_back("n" + std::to_string(v));
  }
  return make_dataset(ring_edges(),
                      setting.features == NodeFeatures::Kind::dense
                          ? NodeFeatures::dense(values)
                          : sparse_from(values),
                      torch::randint(0, kClasses, {kNodes}, at::kLong),
                      options);
}

// Three nodes, one of them alone, and edges among old ones.
AddedNodes three_more() {
  torch::manual_seed(8);
  AddedNodes added;
  added.names = {"a", "b", "alone"};
  added.features = torch::randint(0, 3, {3, kWidth}).to(at::kFloat);
  const std::vector<int64_t> from = {kNodes, 40, kNodes + 1, kNodes, 44, 40};
  const std::vector<int64_t> to = {41, kNodes, kNodes, kNodes, 42, kNodes};
  added.edges = torch::stack(
      {torch::tensor(from, at::kLong), torch::tensor(to, at::kLong)});
  return added;
}

Trained untrained(const ModelCase& model, const NodeDataset& data) {
  Trained out;
  out.options.model = model.model;
  out.options.network = model.options;
  out.shape = {data.features.num_features(), data.num_classes,
               data.features.kind(), data.num_nodes()};
  out.model = create_model(model.model, out.shape, model.options, 5);
  torch::NoGradGuard no_grad;
  torch::manual_seed(11);
  // Parameters that start at 0 would hide what they multiply.
  for (const at::Tensor& parameter : out.model->parameters()) {
    parameter.add_(torch::randn_like(parameter) * 0.2);
  }
  return out;
}

// Whether the last bit of a row may depend on where the row is: in models with
// exp, tanh or a BLAS of LibTorch's, which treat the last elements of a tensor
// apart, and in builds by compilers that do not fuse multiplications and
// additions alike for every number of rows in a tile (seen with g++ 13).
bool rounds_by_place(const ModelCase& model) {
#if defined(__clang__) || __GNUC__ > 12
  if (core::simd_level() != core::SimdLevel::baseline) return true;
#endif
  static const std::set<std::string> names = {"gat",
                                              "ggcn",
                                              "unimp",
                                              "jknet_lstm",
                                              "ordered_gnn_gat",
                                              "ordered_gnn_signed"};
  return names.count(model.name) > 0 || names.count(model.model) > 0;
}

void expect_rows(const at::Tensor& got, const at::Tensor& want,
                 const ModelCase& model) {
  if (rounds_by_place(model)) {
    EXPECT_TRUE(torch::allclose(got, want, 1e-4, 1e-5))
        << (got - want).abs().max().item<float>();
  } else {
    EXPECT_TRUE(torch::equal(got, want))
        << (got - want).abs().max().item<float>();
  }
}

class NodePredictions : public testing::TestWithParam<ModelCase> {
 protected:
  static bool looks_far_only(const Trained& trained) {
    return find_model(GetParam().model).reach == nullptr ||
           trained.model->needs_whole_graph();
  }
  // Models that are told labels may have none near.
  static void expect_a_part(const Trained& trained,
                            const NodePrediction& some) {
    if (trained.model->told_labels()) return;
    EXPECT_EQ(some.whole_because.empty(), !looks_far_only(trained))
        << some.whole_because;
  }
};

TEST_P(NodePredictions, AreTheRowsOfTheWholeGraph) {
  const at::Tensor nodes =
      torch::tensor({250, 5, 22, 250, 499, 0, 23}, at::kLong);
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    const NodeDataset data = ring(setting);
    const Trained trained = untrained(GetParam(), data);
    PredictionOptions options;
    options.embeddings = true;
    const Prediction all = predict(trained, data, options);
    const NodePrediction some = predict_nodes(trained, data, nodes, options);
    expect_a_part(trained, some);
    expect_rows(some.prediction.logits, all.logits.index_select(0, nodes),
                GetParam());
    expect_rows(some.prediction.probabilities,
                all.probabilities.index_select(0, nodes), GetParam());
    expect_rows(some.prediction.embeddings,
                all.embeddings.index_select(0, nodes), GetParam());
    EXPECT_TRUE(torch::equal(some.prediction.labels,
                             all.labels.index_select(0, nodes)));
    EXPECT_TRUE(torch::equal(some.nodes, nodes));
    EXPECT_EQ(some.names[3], "n250");
  }
}

TEST_P(NodePredictions, OfAddedNodesAreThoseOfTheGrownGraph) {
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    const NodeDataset data = ring(setting);
    const Trained trained = untrained(GetParam(), data);
    const AddedNodes added = three_more();
    if (is_per_node(GetParam().model, GetParam().options)) {
      EXPECT_TRUE(
          contains(error_of([&] { predict_added(trained, data, added); }),
                   "and none for new ones"));
      continue;
    }
    const Prediction all = predict(trained, with_added(data, added));
    const NodePrediction some = predict_added(trained, data, added);
    ASSERT_EQ(some.prediction.logits.size(0), 3);
    EXPECT_EQ(some.names, added.names);
    expect_a_part(trained, some);
    expect_rows(some.prediction.logits, all.logits.narrow(0, kNodes, 3),
                GetParam());
  }
}

// What is given is right, and what is not given has not changed.
TEST_P(NodePredictions, OfChangedNodesAreAllThatChange) {
  if (is_per_node(GetParam().model, GetParam().options)) return;
  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    const NodeDataset data = ring(setting);
    const Trained trained = untrained(GetParam(), data);
    const AddedNodes added = three_more();
    const NodePrediction some =
        predict_added(trained, data, added, AddedRows::changed_nodes);
    const at::Tensor before = predict(trained, data).logits;
    const at::Tensor after = predict(trained, with_added(data, added)).logits;
    expect_rows(some.prediction.logits, after.index_select(0, some.nodes),
                GetParam());
    EXPECT_TRUE(torch::equal(some.nodes.narrow(0, 0, 3),
                             torch::arange(kNodes, kNodes + 3)));
    at::Tensor is_given = torch::zeros({kNodes + 3}, at::kBool);
    is_given.index_fill_(0, some.nodes, true);
    const at::Tensor rest =
        is_given.narrow(0, 0, kNodes).logical_not().nonzero().view(-1);
    if (looks_far_only(trained)) {
      EXPECT_EQ(rest.numel(), 0);
      continue;
    }
    EXPECT_GT(rest.numel(), kNodes / 2);
    expect_rows(after.index_select(0, rest), before.index_select(0, rest),
                GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Table, NodePredictions,
                         testing::ValuesIn(model_cases()),
                         [](const auto& item) { return item.param.name; });

ModelCase case_of(const std::string& name) {
  for (const ModelCase& item : model_cases()) {
    if (item.name == name) return item;
  }
  return {};
}

class OneModel : public testing::Test {
 protected:
  NodeDataset data_ = ring(kSettings[1]);
  Trained trained_ = untrained(case_of("gcn"), data_);
};

// Layers that see all of the graph, then less and less of it.
TEST(DeepOrderedGnn, NarrowsFromTheWholeGraph) {
  const NodeDataset data = ring(kSettings[1]);
  const at::Tensor nodes = torch::tensor({7, 300, 7}, at::kLong);
  for (const char* const aggregator : {"ordered_gnn", "ordered_gnn_gcn"}) {
    ModelCase model = case_of(aggregator);
    model.options.layers = 40;
    const Trained trained = untrained(model, data);
    const NodePrediction some = predict_nodes(trained, data, nodes);
    EXPECT_EQ(some.whole_because, "the nodes hear most of it");
    expect_rows(some.prediction.logits,
                predict(trained, data).logits.index_select(0, nodes), model);
  }
}

TEST(DeepOrderedGnn, GivesTheGatesOfTheNodes) {
  const NodeDataset data = ring(kSettings[0]);
  const Trained trained = untrained(case_of("ordered_gnn"), data);
  const at::Tensor nodes = torch::tensor({7, 300}, at::kLong);
  PredictionOptions options;
  options.gates = true;
  const NodePrediction some = predict_nodes(trained, data, nodes, options);
  const Prediction all = predict(trained, data, options);
  ASSERT_EQ(some.prediction.gates.size(), all.gates.size());
  for (size_t k = 0; k < all.gates.size(); ++k) {
    // Rows at the rim of the part are not right, those of the nodes are.
    expect_rows(some.prediction.gates[k], all.gates[k].index_select(0, nodes),
                case_of("ordered_gnn"));
  }
}

TEST_F(OneModel, ComputesAPartThatFollowsTheReach) {
  const at::Tensor nodes = torch::tensor({100}, at::kLong);
  const NodePrediction some = predict_nodes(trained_, data_, nodes);
  EXPECT_LT(some.computed_nodes, kNodes / 4);
  EXPECT_GT(some.computed_nodes, 10);
  EXPECT_LT(some.computed_edges, data_.graph.num_edges() / 4);
}

TEST_F(OneModel, ComputesTheWholeGraphWhereThatIsNoMoreWork) {
  const NodePrediction many =
      predict_nodes(trained_, data_, torch::arange(0, kNodes, 8));
  EXPECT_EQ(many.whole_because, "the nodes hear most of it");
  EXPECT_EQ(many.computed_nodes, kNodes);
  const at::Tensor all = predict(trained_, data_).logits;
  EXPECT_TRUE(
      torch::equal(many.prediction.logits, all.index_select(0, many.nodes)));
}

TEST_F(OneModel, CorrectAndSmoothNeedsTheWholeGraph) {
  PredictionOptions options;
  options.correct_smooth.enabled = true;
  const NodePrediction some = predict_added(trained_, data_, three_more(),
                                            AddedRows::new_nodes, options);
  EXPECT_TRUE(contains(some.whole_because, "Correct & Smooth"));
  const at::Tensor all =
      predict(trained_, with_added(data_, three_more()), options).logits;
  EXPECT_TRUE(torch::equal(some.prediction.logits, all.narrow(0, kNodes, 3)));
}

TEST_F(OneModel, NoNodesGiveNoRows) {
  const at::Tensor none = torch::empty({0}, at::kLong);
  const NodePrediction some = predict_nodes(trained_, data_, none);
  EXPECT_EQ(some.prediction.logits.sizes(), at::IntArrayRef({0, kClasses}));
  EXPECT_EQ(some.prediction.labels.numel(), 0);
}

TEST_F(OneModel, RefusesNodesThatAreNotThere) {
  EXPECT_TRUE(contains(
      error_of([&] {
        predict_nodes(trained_, data_, torch::tensor({3, 500}, at::kLong));
      }),
      "there is no node 500; nodes are 0 to 499"));
  EXPECT_TRUE(contains(
      error_of([&] { predict_nodes(trained_, data_, torch::rand({2})); }),
      "nodes must be [R] Long on cpu"));
  EXPECT_TRUE(contains(error_of([&] {
                         predict_nodes({}, data_,
                                       torch::tensor({3}, at::kLong));
                       }),
                       "there is no trained model"));
}

TEST(ToldModels, FallBackToTheWholeGraphWhereNoLabelIsNear) {
  NodeDataset data = ring(kSettings[0]);
  data.splits = {{torch::tensor({400}, at::kLong), torch::empty({0}, at::kLong),
                  torch::empty({0}, at::kLong)}};
  const Trained trained = untrained(case_of("unimp"), data);
  const at::Tensor all = predict(trained, data).logits;
  const auto rows = [&](int64_t node) {
    return predict_nodes(trained, data, torch::tensor({node}, at::kLong));
  };
  const NodePrediction far = rows(100);
  EXPECT_TRUE(contains(far.whole_because, "none of the labels"));
  EXPECT_TRUE(torch::equal(far.prediction.logits[0], all[100]));
  EXPECT_EQ(rows(400).whole_because, "");
}

}  // namespace
}  // namespace ordered_gnn::training
