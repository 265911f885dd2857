// What would not fit is refused before it is taken, by its number.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "data/formats/csv/csv_support.h"
#include "data/formats/npz/dataset.h"
#include "data/formats/ogb/ogb_support.h"
#include "data/generators/csbm.h"
#include "data/generators/generated_size.h"
#include "data/generators/synthetic.h"
#include "ordered_gnn/data/registry.h"
#include "support/little_memory.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kLittleBytes = int64_t{32} << 20;

std::string repeated(const std::string& line, int64_t bytes) {
  std::string text;
  text.reserve(static_cast<size_t>(bytes) + line.size());
  while (static_cast<int64_t>(text.size()) < bytes) text += line;
  return text;
}

template <typename Call>
std::string refused(const Call& call) {
  const LittleMemory little(kLittleBytes);
  const std::string message = error_of(call);
  EXPECT_TRUE(contains(message, "--max-memory"));
  return message;
}

TEST(TooLarge, MoreEdgesThanStatedEndTheReading) {
  const std::string message = ogb_error(
      "raw/edge.csv", repeated("0,1\n", int64_t{1} << 20) + "no edge");
  EXPECT_TRUE(contains(message, "has more edges, but"));
  EXPECT_TRUE(contains(message, "num-edge-list.csv states 3"));
  const std::string rows = repeated("0.5,1\n", 1000) + "no number";
  EXPECT_TRUE(contains(ogb_error("raw/node-feat.csv", rows),
                       "has more feature rows, but"));
  EXPECT_TRUE(contains(ogb_error("raw/node-label.csv", "0\n1\n0\n1\n0\nno"),
                       "has more labels, but"));
  EXPECT_TRUE(contains(
      ogb_error("raw/node_year.csv", "1\n1\n1\n1\n1\nno", with_years(2)),
      "has more years, but"));
  EXPECT_TRUE(
      contains(ogb_error("split/time/train.csv", "0\n1\n2\n3\n0\nno number\n"),
               "names more nodes than the 4"));
}

TEST(TooLarge, EdgesAreReadWhileMemoryIsLeft) {
  const TempDir folder;
  write_csv_files(folder.path(), small_csv_with({{"edges.csv", ""}}));
  write_gzip(folder / "edges.csv.gz",
             "source,target\n" + repeated("0,1\n", int64_t{48} << 20));
  release_recycled_memory();
  const std::string message = refused([&] { load_csv_dataset(folder.path()); });
  EXPECT_TRUE(contains(message, "edges.csv.gz:"));
  EXPECT_TRUE(contains(message, "the text from here on takes"));
}

TEST(TooLarge, BytesThatBecomeNumbersAreRefused) {
  const TempDir folder;
  const auto file = folder / "g.npz";
  {
    core::NpzWriter out(file, core::NpzWriter::Compression::deflated);
    out.add("edges", torch::zeros({int64_t{4} << 20, 2}, at::kChar));
    out.add("node_labels", ints({0, 1}));
    out.add("node_features", torch::ones({2, 1}));
    out.finish();
  }
  EXPECT_LT(std::filesystem::file_size(file), size_t{1} << 20);
  release_recycled_memory();
  EXPECT_TRUE(contains(refused([&] { load_npz_dataset(file); }),
                       "g.npz:edges: an array of 8388608 elements takes "
                       "67.1 MB"));
}

TEST(TooLarge, AGraphIsRefusedBeforeItIsBuilt) {
  RawDataset raw;
  raw.name = "large";
  raw.num_nodes = 2;
  raw.num_classes = 2;
  raw.edges = torch::zeros({2, int64_t{1} << 20}, at::kLong);
  raw.labels = ints({0, 1});
  raw.features = NodeFeatures::identity(2);
  Treatment treatment;
  treatment.direction = Direction::undirected;
  EXPECT_TRUE(contains(refused([&] { prepare(raw, treatment); }),
                       "dataset 'large': building a graph of 2 nodes and "
                       "1048576 stored edges takes 50.3 MB"));
}

TEST(TooLarge, AGeneratedGraphIsRefusedByItsNumber) {
  EXPECT_TRUE(contains(
      refused([] { generate_synthetic("synthetic:csbm?nodes=50000000"); }),
      "csbm: a graph of 50000000 nodes, 250000000 edges and 3200000000 feature "
      "values takes 21.6 GB"));
  EXPECT_TRUE(
      contains(refused([] { generate_synthetic("synthetic:ogbn-arxiv"); }),
               "ogbn-arxiv: a graph of 169343 nodes"));
  CustomerOptions customers;
  customers.customers = 1000000;
  EXPECT_TRUE(contains(refused([&] { generate_customers(customers); }),
                       "customers: a table of 1000000 rows takes"));
}

// A bound from below, or what fits would be refused.
TEST(TooLarge, AGeneratedGraphHasTheBytesThatWereCounted) {
  for (const bool sparse : {false, true}) {
    CsbmOptions options;
    options.nodes = 2000;
    options.sparse = sparse;
    options.density = 0.2;
    const RawDataset raw = generate_csbm(options);
    const int64_t entries =
        sparse ? raw.features.rows().col.numel() : int64_t{2000} * 64;
    int64_t bytes = 8 * (raw.edges.numel() + 2 * raw.num_nodes);
    for (const Split& split : raw.splits) {
      bytes +=
          8 * (split.train.numel() + split.val.numel() + split.test.numel());
    }
    bytes += entries * (sparse ? 8 : 4);
    const int64_t counted = generated_bytes(
        {2000, 10000, 2000 * 64 * (sparse ? 0.1 : 1), sparse, options.splits});
    EXPECT_LE(counted, bytes);
    EXPECT_GT(counted, bytes / 2);
  }
}

}  // namespace
}  // namespace ordered_gnn::data
