#include <algorithm>

#include "data/formats/ogb/ogb_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kArxivNodes = 169343;
constexpr int64_t kArxivEdges = 1166243;

// The real parts of ogbn-arxiv, with edges and features made up.
class RealArxiv : public ::testing::Test {
 protected:
  void SetUp() override {
    ORDERED_GNN_NEEDS_REAL_DATA();
    const fs::path real = real_data() / "ogbn-arxiv";
    fs::create_directories(folder() / "raw");
    fs::create_directory_symlink(real / "split", folder() / "split");
    for (const char* name : {"node-label.csv.gz", "node_year.csv.gz",
                             "num-node-list.csv.gz", "num-edge-list.csv.gz"}) {
      fs::create_symlink(real / "raw" / name, folder() / "raw" / name);
    }
    std::string edges;
    for (int64_t e = 0; e < kArxivEdges; ++e) {
      edges += fmt::format("{},{}\n", e % kArxivNodes, e * 7919 % kArxivNodes);
    }
    write_text(folder() / "raw" / "edge.csv", edges);
    std::string features;
    for (int64_t v = 0; v < kArxivNodes; ++v) {
      features += fmt::format("{},-0.25\n", v);
    }
    write_text(folder() / "raw" / "node-feat.csv", features);
  }
  fs::path folder() const { return root_ / "ogbn-arxiv"; }

  TempDir root_;
};

std::vector<int64_t> label_counts(const RawDataset& raw) {
  const at::Tensor counts = torch::bincount(raw.labels, {}, raw.num_classes);
  return {counts.data_ptr<int64_t>(),
          counts.data_ptr<int64_t>() + counts.size(0)};
}

std::vector<int64_t> part_sizes(const Split& split) {
  return {split.train.size(0), split.val.size(0), split.test.size(0)};
}

TEST_F(RealArxiv, HasThePublishedSubjectsAndTimeSplit) {
  const RawDataset raw = load_path(folder());
  EXPECT_EQ(raw.num_nodes, kArxivNodes);
  EXPECT_EQ(raw.edges.size(1), kArxivEdges);
  EXPECT_EQ(raw.features.num_features(), 2);
  EXPECT_EQ(raw.num_classes, 40);
  const std::vector<int64_t> sizes = label_counts(raw);
  EXPECT_EQ((std::vector<int64_t>(sizes.begin(), sizes.begin() + 5)),
            (std::vector<int64_t>{565, 687, 4839, 2080, 5862}));
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 27321);
  EXPECT_EQ(raw.split_set, "time");
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_EQ(part_sizes(raw.splits[0]),
            (std::vector<int64_t>{90941, 29799, 48603}));
}

TEST_F(RealArxiv, HasThePublishedYearClassesAndSplits) {
  LoadOptions options = with_years(5);
  options.split_folders = {real_data() / "arxiv-year"};
  const RawDataset raw = load_path(folder(), "auto", options);
  EXPECT_EQ(label_counts(raw),
            (std::vector<int64_t>{31971, 21189, 37781, 29799, 48603}));
  EXPECT_EQ(raw.split_set, "arxiv-year");
  ASSERT_EQ(raw.splits.size(), 5u);
  for (const Split& split : raw.splits) {
    EXPECT_EQ(part_sizes(split), (std::vector<int64_t>{84671, 42335, 42337}));
  }
}

TEST(Ogb, TheRealFolderLacksEdgesAndFeatures) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const fs::path folder = real_data() / "ogbn-arxiv";
  if (fs::exists(folder / "raw" / "edge.csv.gz")) {
    GTEST_SKIP() << "the folder has its edges by now";
  }
  const std::string message = error_of([&] { load_path(folder); });
  EXPECT_TRUE(contains(message, (folder / "raw/edge.csv[.gz]").string()));
  EXPECT_TRUE(contains(message, (folder / "raw/node-feat.csv[.gz]").string()));
}

}  // namespace
}  // namespace ordered_gnn::data
