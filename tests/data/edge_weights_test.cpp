// Weights of edges from the raw dataset to the graph of the prepared one.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

// 0 -> 1, 1 -> 2, 3 -> 0 and the loop of 2.
RawDataset weighted_dataset() {
  RawDataset raw = small_dataset();
  raw.edge_weights = torch::tensor({2.F, 0.5F, 1.F, 4.F});
  return raw;
}

bool has_note(const NodeDataset& data, const std::string& part) {
  for (const std::string& note : data.provenance.notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(EdgeWeightsOfData, BecomeThoseOfTheGraph) {
  Treatment treatment;
  treatment.self_loops = SelfLoops::keep;
  const NodeDataset data = prepare(weighted_dataset(), treatment);
  // In-lists: 0 hears 3, 1 hears 0, 2 hears 1 and itself.
  EXPECT_TRUE(
      torch::equal(data.graph.weights(), torch::tensor({1.F, 2.F, 0.5F, 4.F})));
  EXPECT_FALSE(data.ignores_edge_weights);
  EXPECT_FALSE(has_note(data, "weight"));
  EXPECT_FALSE(prepare(small_dataset(), treatment).graph.weights().defined());
}

TEST(EdgeWeightsOfData, AreIgnoredOnRequestWithANote) {
  Treatment treatment;
  treatment.edge_weights = Treatment::EdgeWeights::ignore;
  const NodeDataset data = prepare(weighted_dataset(), treatment);
  EXPECT_FALSE(data.graph.weights().defined());
  EXPECT_TRUE(data.ignores_edge_weights);
  EXPECT_TRUE(has_note(data, "edge weights are ignored"));
  const NodeDataset plain = prepare(small_dataset(), treatment);
  EXPECT_FALSE(plain.ignores_edge_weights);
  EXPECT_FALSE(has_note(plain, "weight"));
}

TEST(EdgeWeightsOfData, NotesSayWhatWasDecided) {
  RawDataset raw = weighted_dataset();
  raw.edges = torch::tensor({{0, 0, 1, 2}, {1, 1, 0, 3}}, at::kLong);
  Treatment treatment;
  treatment.direction = Direction::undirected;
  const NodeDataset data = prepare(raw, treatment);
  EXPECT_TRUE(has_note(data,
                       "1 stored edges repeat an earlier one and count once, "
                       "with the sum of their weights"));
  EXPECT_TRUE(has_note(data, "1 pairs of nodes have another weight each way"));
  EXPECT_TRUE(has_note(data, "self loops that are added have weight 1"));
}

TEST(EdgeWeightsOfData, ValidationNamesTheEdge) {
  const auto error = [](const at::Tensor& weights) {
    RawDataset raw = small_dataset();
    raw.edge_weights = weights;
    return error_of([&] { validate(raw); });
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(error(torch::ones({4})), "");
  EXPECT_TRUE(contains(error(torch::tensor({1.F, 1.F, -2.F, 1.F})),
                       "dataset 'small': edge 2 from node 3 to node 0 has the "
                       "weight -2; weights are finite and 0 or more"));
  EXPECT_TRUE(contains(error(torch::tensor({1.F, std::nanf(""), 1.F, 1.F})),
                       "edge 1 from node 1 to node 2 has the weight nan"));
  EXPECT_TRUE(contains(error(torch::tensor({1.F, 1.F, 1.F, infinity})),
                       "edge 3 from node 2 to node 2 has the weight inf"));
  EXPECT_TRUE(contains(error(torch::ones({3})),
                       "edge weights must be a [4] float32 tensor on the CPU, "
                       "one for every edge; got 3 of type Float"));
  EXPECT_TRUE(
      contains(error(torch::ones({4}, at::kDouble)), "got 4 of type Double"));
  EXPECT_TRUE(contains(error(torch::ones({4, 1})), "must be a [4] float32"));
}

TEST(EdgeWeightsOfData, ArePartOfTheFingerprintWhereThereAre) {
  torch::manual_seed(1);
  const RawDataset plain = small_dataset();
  RawDataset raw = plain;
  raw.edge_weights = torch::ones({4});
  const std::string ones = content_fingerprint(raw);
  EXPECT_NE(ones, content_fingerprint(plain));
  raw.edge_weights = torch::tensor({1.F, 1.F, 1.F, 2.F});
  EXPECT_NE(content_fingerprint(raw), ones);
}

TEST(EdgeWeightsOfData, StatisticsGiveTheirRange) {
  const DatasetStatistics statistics = compute_statistics(weighted_dataset());
  ASSERT_TRUE(statistics.edge_weights);
  EXPECT_EQ(statistics.edge_weights->min, 0.5);
  EXPECT_EQ(statistics.edge_weights->max, 4);
  EXPECT_EQ(statistics.edge_weights->mean, 7.5 / 4);
  nlohmann::ordered_json json = statistics;
  EXPECT_EQ(json["edge_weights"]["max"], 4);
  json = compute_statistics(small_dataset());
  EXPECT_TRUE(json.at("edge_weights").is_null());
}

TEST(EdgeWeightsOfData, OfArraysAreCheckedAndUsed) {
  const at::Tensor edges = torch::tensor({{0, 1}, {1, 2}}, at::kLong);
  ArrayOptions options;
  options.edge_weights = torch::tensor({2.F, 3.F});
  options.treatment.self_loops = SelfLoops::remove;
  const NodeDataset data =
      make_dataset(edges, torch::rand({3, 2}), {}, options);
  EXPECT_TRUE(torch::equal(data.graph.weights(), torch::tensor({2.F, 3.F})));
  options.edge_weights = torch::tensor({2.F});
  EXPECT_TRUE(contains(error_of([&] {
                         make_dataset(edges, torch::rand({3, 2}), {}, options);
                       }),
                       "edge weights must be a [2] float32 tensor"));
}

TEST(EdgeWeightsOfData, AnOptionSaysWhetherTheyAreUsed) {
  DataOptions options;
  EXPECT_EQ(to_json(data_option_table(), options)["edge-weights"], "use");
  apply_json(data_option_table(), {{"edge-weights", "ignore"}}, options);
  EXPECT_EQ(options.treatment.edge_weights, Treatment::EdgeWeights::ignore);
  EXPECT_EQ(
      resolve_treatment(options.treatment, weighted_dataset()).edge_weights,
      Treatment::EdgeWeights::ignore);
  EXPECT_THROW(
      apply_json(data_option_table(), {{"edge-weights", "maybe"}}, options),
      UsageError);
}

}  // namespace
}  // namespace ordered_gnn::data
