#include "data/formats/npz/sparse.h"

#include <limits>

#include "data/data_support.h"
#include "data/formats/npz/dataset.h"

namespace ordered_gnn::data {
namespace {

// Three nodes: edges 0 -> 1, 0 -> 2, 2 -> 0 and a stored zero at (1, 2).
struct SparseFile {
  at::Tensor adj_data = torch::tensor({1.f, 1.f, 0.f, 1.f});
  at::Tensor adj_indices = torch::tensor({1, 2, 2, 0}, torch::kInt);
  at::Tensor adj_indptr = torch::tensor({0, 2, 3, 4}, torch::kInt);
  at::Tensor adj_shape = ints({3, 3});
  at::Tensor attr_data = torch::tensor({2.f, 1.f, 0.5f});
  at::Tensor attr_indices = torch::tensor({4, 1, 0}, torch::kInt);
  at::Tensor attr_indptr = torch::tensor({0, 2, 2, 3}, torch::kInt);
  at::Tensor attr_shape = ints({3, 5});
  at::Tensor attr_matrix;
  at::Tensor labels = ints({1, -1, 0});
  std::string object = "node_names.npy";

  void write(const std::filesystem::path& path) const {
    core::NpzWriter archive(path, core::NpzWriter::Compression::deflated);
    const auto add = [&](const char* name, const at::Tensor& values) {
      if (values.defined()) archive.add(name, values);
    };
    add("adj_data", adj_data);
    add("adj_indices", adj_indices);
    add("adj_indptr", adj_indptr);
    add("adj_shape", adj_shape);
    add("attr_data", attr_data);
    add("attr_indices", attr_indices);
    add("attr_indptr", attr_indptr);
    add("attr_shape", attr_shape);
    add("attr_matrix", attr_matrix);
    add("labels", labels);
    // An object array that no reader could survive reading.
    archive.add_bytes(object, "\x93NUMPY, but not really");
    archive.finish();
  }
  void drop_sparse_attributes() {
    attr_data = attr_indices = attr_indptr = attr_shape = at::Tensor();
  }
};

RawDataset load(const SparseFile& content, const LoadOptions& options = {}) {
  const TempDir folder;
  content.write(folder / "amazon.npz");
  return load_sparse_npz(folder / "amazon.npz", options);
}

std::string load_error(const SparseFile& content) {
  const TempDir folder;
  content.write(folder / "amazon.npz");
  const std::string message =
      error_of([&] { load_sparse_npz(folder / "amazon.npz"); });
  EXPECT_TRUE(contains(message, (folder / "amazon.npz").string()));
  return message;
}

TEST(SparseNpz, ReadsAFileWithoutTouchingItsObjectArrays) {
  const RawDataset raw = load(SparseFile());
  EXPECT_EQ(raw.name, "amazon");
  EXPECT_EQ(raw.provenance.format, "sparse-npz");
  EXPECT_EQ(raw.num_nodes, 3);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(torch::equal(
      raw.edges, torch::tensor({{0, 0, 2}, {1, 2, 0}}, torch::kLong)));
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, -1, 0})));
  EXPECT_TRUE(raw.splits.empty());
  ASSERT_EQ(raw.provenance.notes.size(), 1u);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "1 adjacency entries"));
}

TEST(SparseNpz, KeepsAttributesSparseAndSortsTheirColumns) {
  const RawDataset raw = load(SparseFile());
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_EQ(raw.features.num_features(), 5);
  const SparseRows& rows = raw.features.rows();
  EXPECT_TRUE(torch::equal(rows.rowptr, ints({0, 2, 2, 3})));
  EXPECT_TRUE(torch::equal(rows.col, torch::tensor({1, 4, 0}, torch::kInt)));
  EXPECT_TRUE(torch::equal(rows.value, torch::tensor({1.f, 2.f, 0.5f})));
}

TEST(SparseNpz, AddsUpRepeatedAttributesWithANote) {
  SparseFile content;
  content.attr_indices = torch::tensor({4, 4, 0}, torch::kInt);
  const RawDataset raw = load(content);
  EXPECT_TRUE(
      torch::equal(raw.features.rows().value, torch::tensor({3.f, 0.5f})));
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "1 attribute entries"));
}

TEST(SparseNpz, ReadsDenseAttributesAndOtherNumberTypes) {
  SparseFile content;
  content.drop_sparse_attributes();
  content.attr_matrix = torch::tensor({{1., 2.}, {0., 4.}, {5., 6.}});
  content.adj_data = content.adj_data.to(torch::kDouble);
  content.adj_indices = content.adj_indices.to(torch::kLong);
  content.labels = content.labels.to(torch::kShort);
  const RawDataset raw = load(content);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::dense);
  EXPECT_TRUE(torch::equal(raw.features.to_dense(),
                           content.attr_matrix.to(torch::kFloat)));
  EXPECT_EQ(raw.edges.size(1), 3);
}

TEST(SparseNpz, UsesNodeIdsWhereThereAreNoAttributes) {
  SparseFile content;
  content.drop_sparse_attributes();
  const RawDataset raw = load(content);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::identity);
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "node ids"));
}

void write_ids(const std::filesystem::path& file, int64_t val) {
  std::filesystem::create_directories(file.parent_path());
  core::NpzWriter archive(file);
  archive.add("train", ints({2}));
  archive.add("valid", ints({val}));
  archive.add("test", ints({1}));
  archive.finish();
}

TEST(SparseNpz, TakesTheSplitThatLiesBesideIt) {
  const TempDir folder;
  SparseFile().write(folder / "a.npz");
  LoadOptions options;
  options.split_set = "polynormer";
  EXPECT_TRUE(
      contains(error_of([&] { load_path(folder / "a.npz", "auto", options); }),
               "dataset 'a': no split file: looked for a_split.npz in"));
  write_ids(folder / "splits/a_split.npz", 0);
  for (const char* set : {"auto", "polynormer"}) {
    options.split_set = set;
    const RawDataset raw = load_path(folder / "a.npz", "auto", options);
    EXPECT_EQ(raw.split_set, "polynormer");
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_TRUE(same_split(raw.splits[0], {ints({2}), ints({0}), ints({1})}));
    EXPECT_EQ(raw.provenance.files.size(), 2u);
  }
  options.split_set = "none";
  EXPECT_TRUE(load_path(folder / "a.npz", "auto", options).splits.empty());
  write_ids(folder / "splits/a_split.npz", 3);
  EXPECT_TRUE(contains(error_of([&] { load_path(folder / "a.npz"); }),
                       "a_split.npz: split 0: 'valid': names node 3"));
}

TEST(SparseNpz, NotesWhereItLookedForThePublishedSplit) {
  LoadOptions options;
  EXPECT_EQ(load(SparseFile(), options).provenance.notes.size(), 1u);
  options.split_prefix = "amazon-photo";
  EXPECT_TRUE(contains(load(SparseFile(), options).provenance.notes.back(),
                       "looked for amazon-photo_split.npz"));
}

TEST(SparseNpz, KnowsNoOtherSplitSets) {
  const TempDir folder;
  SparseFile().write(folder / "a.npz");
  LoadOptions options;
  options.split_set = "public";
  EXPECT_TRUE(
      contains(error_of([&] { load_path(folder / "a.npz", "auto", options); }),
               "unknown split set 'public'"));
}

TEST(SparseNpz, IsRecognisedByItsArrays) {
  const TempDir folder;
  SparseFile content;
  content.write(folder / "a.npz");
  EXPECT_TRUE(is_sparse_npz(folder / "a.npz"));
  EXPECT_FALSE(is_npz_dataset(folder / "a.npz"));
  EXPECT_EQ(load_path(folder / "a.npz").provenance.format, "sparse-npz");
  EXPECT_FALSE(is_sparse_npz(folder.path()));
  content.labels = at::Tensor();
  content.write(folder / "b.npz");
  EXPECT_FALSE(is_sparse_npz(folder / "b.npz"));
  write_npz_dataset(folder / "c.npz", small_dataset());
  EXPECT_FALSE(is_sparse_npz(folder / "c.npz"));
  truncate_file(folder / "a.npz", 100);
  EXPECT_THROW(is_sparse_npz(folder / "a.npz"), Error);
}

TEST(SparseNpz, RefusesMatricesThatDoNotFit) {
  SparseFile content;
  content.adj_shape = ints({3, 4});
  EXPECT_TRUE(contains(load_error(content), "adj_shape: expected 3 x 3"));
  content = SparseFile();
  content.adj_shape = ints({std::numeric_limits<int64_t>::max(), 3});
  EXPECT_TRUE(contains(load_error(content), "adj_indptr: got 4 numbers"));
  content = SparseFile();
  content.adj_shape = ints({3});
  EXPECT_TRUE(contains(load_error(content), "adj_shape: expected 2 numbers"));
  content = SparseFile();
  content.labels = ints({0, 1});
  EXPECT_TRUE(contains(load_error(content), "for 2 labels, got 3 x 3"));
  content = SparseFile();
  content.attr_shape = ints({3, 4});
  EXPECT_TRUE(contains(load_error(content), "attr_indices: entry 0 is 4"));
  content = SparseFile();
  content.attr_shape = ints({3, int64_t{1} << 40});
  EXPECT_TRUE(contains(load_error(content), "attr_shape: expected at most"));
  content = SparseFile();
  content.attr_indptr = torch::tensor({0, 2, 3}, torch::kInt);
  content.attr_shape = ints({2, 5});
  EXPECT_TRUE(contains(load_error(content), "2 feature rows for 3 nodes"));
  content = SparseFile();
  content.drop_sparse_attributes();
  content.attr_matrix = torch::rand({3});
  EXPECT_TRUE(contains(load_error(content), "attr_matrix: expected"));
}

TEST(SparseNpz, RefusesIndicesThatCannotBe) {
  for (const std::vector<int64_t>& rowptr : {std::vector<int64_t>{0, 3, 2, 4},
                                             {1, 2, 3, 4},
                                             {0, 2, 3, 5},
                                             {0, 2, 3},
                                             {0, -2, 3, 4}}) {
    SparseFile content;
    content.adj_indptr = ints(rowptr);
    EXPECT_TRUE(contains(load_error(content), "adj_indptr"));
  }
  SparseFile content;
  content.adj_indices = torch::tensor({1, 2, -1, 0}, torch::kInt);
  EXPECT_TRUE(contains(load_error(content), "adj_indices: entry 2 is -1"));
  content = SparseFile();
  content.adj_indices = torch::tensor({1.f, 2.f, 2.f, 0.f});
  EXPECT_TRUE(contains(load_error(content), "adj_indices: expected integers"));
  content = SparseFile();
  content.adj_indices = content.adj_indices.reshape({2, 2});
  EXPECT_TRUE(contains(load_error(content), "expected one dimension"));
  content = SparseFile();
  content.adj_data = torch::ones({3});
  EXPECT_TRUE(contains(load_error(content), "adj_data: expected shape [4]"));
}

TEST(SparseNpz, RefusesLabelsAndValuesThatCannotBe) {
  SparseFile content;
  content.labels = ints({0, -2, 1});
  EXPECT_TRUE(contains(load_error(content), "node 1 has label -2"));
  content = SparseFile();
  content.labels = ints({0, std::numeric_limits<int64_t>::max(), 1});
  EXPECT_TRUE(contains(load_error(content), "classes"));
  content = SparseFile();
  content.labels = torch::zeros({3, 2}, torch::kLong);
  EXPECT_TRUE(contains(load_error(content), "labels: expected one dimension"));
  content = SparseFile();
  content.attr_data[1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(load_error(content), "feature 1 of node 0"));
}

TEST(SparseNpz, SaysThatValuesOfTheAdjacencyAreNoWeights) {
  SparseFile content;
  const size_t before = load(content).provenance.notes.size();
  content.adj_data[0] = 2.5;
  const RawDataset raw = load(content);
  EXPECT_FALSE(raw.edge_weights.defined());
  ASSERT_EQ(raw.provenance.notes.size(), before + 1);
  EXPECT_TRUE(contains(raw.provenance.notes.back(),
                       "1 adjacency entries are not 1; their values are not "
                       "read as edge weights"));
}

TEST(SparseNpz, NamesTheArrayThatIsMissing) {
  SparseFile content;
  content.adj_data = at::Tensor();
  EXPECT_TRUE(contains(load_error(content), "adj_data"));
  content = SparseFile();
  content.attr_shape = at::Tensor();
  EXPECT_TRUE(contains(load_error(content), "attr_shape"));
}

}  // namespace
}  // namespace ordered_gnn::data
