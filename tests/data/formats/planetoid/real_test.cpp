
#include "data/data_support.h"
#include "data/formats/planetoid/planetoid.h"

// The sums below were computed by NumPy from the publishers' files.

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

struct PublishedGraph {
  int64_t nodes;
  int64_t entries;  // of the neighbour lists
  int64_t edge_sum;
  int64_t label_sum;
  int64_t unlabelled;
};

struct PublishedFeatures {
  int64_t features;
  int64_t entries;
  int64_t position_sum;
  double value_sum;
};

// Train, val and test; of geom-gcn those of split 0.
struct PublishedSplits {
  std::vector<int64_t> of_public, of_full, of_dropedge, of_geom_gcn;
};

struct PublishedPlanetoid {
  const char* name;
  PublishedGraph graph;
  std::vector<int64_t> class_sizes;
  PublishedFeatures features;
  PublishedSplits splits;
};

void PrintTo(const PublishedPlanetoid& dataset, std::ostream* out) {
  *out << dataset.name;
}

RawDataset load_real(const std::string& name,
                     const std::string& split_set = "auto") {
  LoadOptions options;
  options.name = name;
  options.split_set = split_set;
  return load_planetoid(real_data() / "planetoid", options);
}

// Weighted by the position, so that the order counts.
int64_t edge_sum(const RawDataset& raw) {
  const at::Tensor ids = raw.edges[0] * raw.num_nodes + raw.edges[1];
  return (ids * torch::arange(1, ids.size(0) + 1)).sum().item<int64_t>();
}

int64_t label_sum(const RawDataset& raw) {
  return (raw.labels * torch::arange(1, raw.num_nodes + 1))
      .sum()
      .item<int64_t>();
}

// The places of all entries in the row-major matrix, added up.
int64_t position_sum(const NodeFeatures& features) {
  const SparseRows& rows = features.rows();
  const at::Tensor counts = rows.rowptr.diff();
  const at::Tensor row =
      torch::repeat_interleave(torch::arange(features.num_nodes()), counts);
  return (row * features.num_features() + rows.col).sum().item<int64_t>();
}

std::vector<int64_t> class_sizes(const RawDataset& raw) {
  std::vector<int64_t> sizes;
  for (int64_t c = 0; c < raw.num_classes; ++c) {
    sizes.push_back(raw.labels.eq(c).sum().item<int64_t>());
  }
  return sizes;
}

std::vector<int64_t> sizes_of(const Split& split) {
  return {split.train.size(0), split.val.size(0), split.test.size(0)};
}

class RealPlanetoid : public ::testing::TestWithParam<PublishedPlanetoid> {
 protected:
  void SetUp() override { ORDERED_GNN_NEEDS_REAL_DATA(); }
};

TEST_P(RealPlanetoid, HasThePublishedGraphAndLabels) {
  const PublishedPlanetoid& want = GetParam();
  const RawDataset raw = load_real(want.name);
  EXPECT_EQ(raw.num_nodes, want.graph.nodes);
  EXPECT_EQ(raw.edges.size(1), want.graph.entries);
  EXPECT_EQ(edge_sum(raw), want.graph.edge_sum);
  EXPECT_EQ(label_sum(raw), want.graph.label_sum);
  EXPECT_EQ(class_sizes(raw), want.class_sizes);
  EXPECT_EQ(raw.labels.eq(-1).sum().item<int64_t>(), want.graph.unlabelled);
}

TEST_P(RealPlanetoid, HasThePublishedFeatures) {
  const PublishedFeatures& want = GetParam().features;
  const RawDataset raw = load_real(GetParam().name);
  ASSERT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_EQ(raw.features.num_features(), want.features);
  EXPECT_EQ(raw.features.rows().col.size(0), want.entries);
  EXPECT_EQ(position_sum(raw.features), want.position_sum);
  const at::Tensor values = raw.features.rows().value.to(torch::kDouble);
  EXPECT_NEAR(values.sum().item<double>(), want.value_sum, 1e-6);
}

TEST_P(RealPlanetoid, HasEverySplitSet) {
  const PublishedPlanetoid& want = GetParam();
  const std::pair<const char*, std::vector<int64_t>> sets[] = {
      {"planetoid-public", want.splits.of_public},
      {"planetoid-full", want.splits.of_full},
      {"dropedge-full", want.splits.of_dropedge}};
  for (const auto& [name, sizes] : sets) {
    const RawDataset raw = load_real(want.name, name);
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_EQ(sizes_of(raw.splits[0]), sizes) << name;
  }
  for (const char* name : {"auto", "geom-gcn"}) {
    const RawDataset raw = load_real(want.name, name);
    EXPECT_EQ(raw.split_set, "geom-gcn");
    ASSERT_EQ(raw.splits.size(), 10u);
    EXPECT_EQ(sizes_of(raw.splits[0]), want.splits.of_geom_gcn);
  }
}

TEST_P(RealPlanetoid, TrainsThePublicSplitOn20NodesPerClass) {
  const RawDataset raw = load_real(GetParam().name, "planetoid-public");
  const at::Tensor train = raw.labels.index_select(0, raw.splits[0].train);
  for (int64_t c = 0; c < raw.num_classes; ++c) {
    EXPECT_EQ(train.eq(c).sum().item<int64_t>(), 20);
  }
}

const PublishedPlanetoid kPublishedPlanetoid[] = {
    {"cora",
     {2708, 10858, 278256369368096, 10514174, 0},
     {351, 217, 418, 818, 426, 298, 180},
     {1433, 49216, 94910363407, 49216},
     {{140, 500, 1000},
      {1208, 500, 1000},
      {1208, 500, 1000},
      {1192, 796, 497}}},
    {"citeseer",
     {3327, 9464, 323922065099374, 14854682, 15},
     {249, 590, 668, 701, 596, 508},
     {3703, 105165, 647137655982, 105165},
     {{120, 500, 1000},
      {1827, 500, 1000},
      {1812, 500, 1000},
      {1596, 1065, 666}}},
    {"pubmed",
     {19717, 88676, 1009781499600594306, 231043241, 0},
     {4103, 7739, 7875},
     {500, 988031, 4860075543246, 38716.295094509376},
     {{60, 500, 1000},
      {18217, 500, 1000},
      {18217, 500, 1000},
      {9463, 6310, 3944}}}};

INSTANTIATE_TEST_SUITE_P(
    Planetoid, RealPlanetoid, ::testing::ValuesIn(kPublishedPlanetoid),
    [](const ::testing::TestParamInfo<PublishedPlanetoid>& info) {
      return std::string(info.param.name);
    });

TEST(RealCora, HasTheFirstEntriesOfItsFiles) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const RawDataset raw = load_real("cora");
  EXPECT_TRUE(
      torch::equal(raw.edges.narrow(1, 0, 5),
                   torch::tensor({{0, 0, 0, 1, 1}, {633, 1862, 2582, 2, 652}},
                                 torch::kLong)));
  // Node 2707 stands on some line of test.index, not on the last.
  const SparseRows& rows = raw.features.rows();
  const int64_t start = rows.rowptr[2707].item<int64_t>();
  EXPECT_EQ(rows.rowptr[2708].item<int64_t>() - start, 13);
  EXPECT_TRUE(
      torch::equal(rows.col.narrow(0, start, 6),
                   torch::tensor({19, 186, 329, 447, 454, 754}, torch::kInt)));
  EXPECT_TRUE(raw.provenance.notes.empty());
}

TEST(RealCiteseer, Has15NodesWithoutFeaturesAndLabel) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const RawDataset raw = load_real("citeseer", "planetoid-full");
  const at::Tensor unlabelled = raw.labels.eq(-1).nonzero().flatten();
  EXPECT_TRUE(torch::equal(
      unlabelled, ints({2407, 2489, 2553, 2682, 2781, 2953, 3042, 3063, 3212,
                        3214, 3250, 3292, 3305, 3306, 3309})));
  const at::Tensor counts = raw.features.rows().rowptr.diff();
  EXPECT_EQ(counts.index_select(0, unlabelled).sum().item<int64_t>(), 0);
  ASSERT_EQ(raw.provenance.notes.size(), 2u);
  EXPECT_TRUE(contains(raw.provenance.notes[0],
                       "15 nodes are in the graph only (2407, 2489,"));
  EXPECT_TRUE(contains(raw.provenance.notes[1], "15 unlabelled"));
  const at::Tensor in_train = torch::isin(unlabelled, raw.splits[0].train);
  EXPECT_TRUE(in_train.all().item<bool>());
}

TEST(RealPubmed, NamesTheMissingAllx) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const TempDir folder;
  const fs::path source = real_data() / "planetoid";
  for (const char* part :
       {"x", "y", "tx", "ty", "ally", "graph", "test.index"}) {
    const std::string name = std::string("ind.pubmed.") + part;
    fs::create_symlink(fs::absolute(source / name), folder / name);
  }
  const std::string message = error_of([&] { load_planetoid(folder.path()); });
  EXPECT_TRUE(contains(message, "dataset 'pubmed' is incomplete"));
  EXPECT_TRUE(contains(message, (folder / "ind.pubmed.allx").string()));
  EXPECT_FALSE(contains(message, "ally"));
}

}  // namespace
}  // namespace ordered_gnn::data
