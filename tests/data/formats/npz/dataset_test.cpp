#include "data/formats/npz/dataset.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "support/deep_json.h"

namespace ordered_gnn::data {
namespace {

// Arrays of a published file, to be spoiled one at a time.
struct PublishedFile {
  at::Tensor edges = torch::tensor({{0, 1}, {1, 2}, {3, 0}}, torch::kLong);
  at::Tensor labels = ints({0, 1, 1, 0});
  at::Tensor features = torch::rand({4, 3}) + 0.5;
  at::Tensor train = torch::tensor({{1, 0, 0, 0}, {0, 1, 0, 0}}).to(at::kBool);
  at::Tensor val = torch::tensor({{0, 1, 0, 0}, {1, 0, 0, 0}}).to(at::kBool);
  at::Tensor test = torch::tensor({{0, 0, 1, 1}, {0, 0, 1, 0}}).to(at::kBool);

  void write(const std::filesystem::path& path) const {
    core::NpzWriter archive(path, core::NpzWriter::Compression::deflated);
    if (edges.defined()) archive.add("edges", edges);
    if (labels.defined()) archive.add("node_labels", labels);
    if (features.defined()) archive.add("node_features", features);
    if (train.defined()) archive.add("train_masks", train);
    if (val.defined()) archive.add("val_masks", val);
    if (test.defined()) archive.add("test_masks", test);
    archive.finish();
  }
};

std::string load_error(const PublishedFile& content) {
  const TempDir folder;
  const auto file = folder / "graph.npz";
  content.write(file);
  const std::string message = error_of([&] { load_npz_dataset(file); });
  EXPECT_TRUE(contains(message, file.string()));
  return message;
}

void expect_round_trip(const RawDataset& a, const RawDataset& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.num_nodes, b.num_nodes);
  EXPECT_EQ(a.num_classes, b.num_classes);
  EXPECT_EQ(a.edges_are_undirected, b.edges_are_undirected);
  EXPECT_TRUE(torch::equal(a.edges, b.edges));
  EXPECT_TRUE(torch::equal(a.labels, b.labels));
  EXPECT_EQ(a.features.kind(), b.features.kind());
  EXPECT_TRUE(torch::equal(a.features.to_dense(), b.features.to_dense()));
  ASSERT_EQ(a.splits.size(), b.splits.size());
  for (size_t k = 0; k < a.splits.size(); ++k) {
    EXPECT_TRUE(same_split(a.splits[k], b.splits[k])) << k;
  }
  EXPECT_EQ(a.split_set, b.split_set);
  EXPECT_EQ(a.node_names, b.node_names);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(content_fingerprint(a), content_fingerprint(b));
}

RawDataset round_trip(const RawDataset& raw) {
  const TempDir folder;
  write_npz_dataset(folder / "copy.npz", raw);
  return load_npz_dataset(folder / "copy.npz");
}

TEST(NpzDataset, ReadsThePublishedLayoutAsUndirected) {
  const TempDir folder;
  PublishedFile().write(folder / "minesweeper.npz");
  const RawDataset raw = load_npz_dataset(folder / "minesweeper.npz");
  EXPECT_EQ(raw.name, "minesweeper");
  EXPECT_TRUE(raw.edges_are_undirected);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::dense);
  EXPECT_TRUE(torch::equal(
      raw.edges, torch::tensor({{0, 1, 3}, {1, 2, 0}}, torch::kLong)));
  ASSERT_EQ(raw.splits.size(), 2u);
  EXPECT_TRUE(same_split(raw.splits[0], {ints({0}), ints({1}), ints({2, 3})}));
  EXPECT_TRUE(same_split(raw.splits[1], {ints({1}), ints({0}), ints({2})}));
  EXPECT_EQ(raw.split_set, "file");
}

TEST(NpzDataset, ReadsAPublishedFileNamedDirectedAsDirected) {
  const TempDir folder;
  PublishedFile().write(folder / "squirrel_filtered_directed.npz");
  EXPECT_FALSE(load_npz_dataset(folder / "squirrel_filtered_directed.npz")
                   .edges_are_undirected);
}

TEST(NpzDataset, KeepsPublishedMostlyZeroFeaturesSparse) {
  const TempDir folder;
  PublishedFile content;
  content.features = torch::zeros({4, 6}, torch::kDouble);
  content.features[2][5] = 2.5;
  content.write(folder / "a.npz");
  const RawDataset raw = load_npz_dataset(folder / "a.npz");
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_TRUE(torch::equal(raw.features.to_dense(),
                           content.features.to(torch::kFloat)));
}

TEST(NpzDataset, RoundTripsDenseFeaturesBitForBitEvenWhenMostlyZero) {
  RawDataset raw = small_dataset();
  expect_round_trip(raw, round_trip(raw));
  raw.features = NodeFeatures::dense(torch::zeros({4, 9}));
  expect_round_trip(raw, round_trip(raw));
}

TEST(NpzDataset, RoundTripsSparseFeatures) {
  RawDataset raw = small_dataset();
  SparseRows rows{ints({0, 2, 2, 3, 3}),
                  torch::tensor({1, 70000, 4}, torch::kInt),
                  torch::tensor({0.1f, -3.f, 1e-30f})};
  raw.features = NodeFeatures::sparse(rows, 80000);
  const RawDataset copy = round_trip(raw);
  EXPECT_EQ(copy.features.num_features(), 80000);
  EXPECT_TRUE(torch::equal(copy.features.rows().rowptr, rows.rowptr));
  EXPECT_TRUE(torch::equal(copy.features.rows().col, rows.col));
  EXPECT_TRUE(torch::equal(copy.features.rows().value, rows.value));
  expect_round_trip(raw, copy);
}

TEST(NpzDataset, RoundTripsIdentityFeatures) {
  RawDataset raw = small_dataset();
  raw.features = NodeFeatures::identity(4);
  expect_round_trip(raw, round_trip(raw));
}

TEST(NpzDataset, RoundTripsWhatIsUnusual) {
  RawDataset raw = small_dataset();
  raw.edges = torch::tensor({{0, 0, 1, 2, 2}, {1, 1, 0, 2, 2}}, torch::kLong);
  raw.labels = ints({-1, 0, -1, 1});
  raw.num_classes = 5;  // classes 2 to 4 have no node
  raw.splits = {{ints({0, 2}), ints({}), ints({3})},
                {ints({1}), ints({0}), ints({2})}};
  raw.split_set = "random:50/25/25 seed 3";
  raw.class_names = {"a", "b", "c", "d", "\u00e9"};
  raw.node_names = {"n0", "", "n 2", "n\"3"};
  raw.provenance.notes = {"something was dropped"};
  raw.provenance.format = "geom-gcn";
  const RawDataset copy = round_trip(raw);
  expect_round_trip(raw, copy);
  EXPECT_EQ(copy.provenance.format, "npz");
  EXPECT_EQ(copy.provenance.notes,
            (std::vector<std::string>{"something was dropped",
                                      "converted from geom-gcn"}));
  // A copy of the copy adds nothing.
  EXPECT_EQ(round_trip(copy).provenance.notes, copy.provenance.notes);
}

TEST(NpzDataset, WritesNamesAsTheJsonLibraryDoes) {
  RawDataset raw = small_dataset();
  raw.name = "\n  \"node_names\": []";
  raw.node_names = {"plain", "back\\slash \"quoted\"", "tab\t\x7f", "\u00e9"};
  const TempDir dir;
  write_npz_dataset(dir / "x.npz", raw);
  const std::string text =
      core::NpzReader(dir / "x.npz").read_bytes("meta.json");
  const auto meta = nlohmann::ordered_json::parse(text);
  EXPECT_EQ(meta.at("node_names").get<std::vector<std::string>>(),
            raw.node_names);
  EXPECT_EQ(text, meta.dump(2) + "\n");
  raw.node_names[1] = "\xff";
  EXPECT_TRUE(contains(error_of([&] { write_npz_dataset(dir / "y.npz", raw); }),
                       "not valid UTF-8"));
}

TEST(NpzDataset, RoundTripsAGraphWithoutEdgesSplitsOrLabels) {
  RawDataset raw = small_dataset();
  raw.edges = torch::empty({2, 0}, torch::kLong);
  raw.labels.fill_(-1);
  raw.num_classes = 0;
  raw.splits.clear();
  raw.edges_are_undirected = true;
  expect_round_trip(raw, round_trip(raw));
}

TEST(NpzDataset, RefusesToWriteAnInvalidDatasetAndLeavesNoFile) {
  const TempDir folder;
  expect_nothing_left_of_invalid(folder, [&](const RawDataset& raw) {
    write_npz_dataset(folder / "a.npz", raw);
  });
}

TEST(NpzDataset, LeavesOutSplitsOnRequest) {
  const TempDir folder;
  PublishedFile content;
  content.write(folder / "a.npz");
  LoadOptions options;
  options.split_set = "none";
  EXPECT_TRUE(load_npz_dataset(folder / "a.npz", options).splits.empty());
  content.train = content.val = content.test = at::Tensor();
  content.write(folder / "a.npz");
  EXPECT_TRUE(load_npz_dataset(folder / "a.npz").splits.empty());
  options.split_set = "file";
  EXPECT_TRUE(
      contains(error_of([&] { load_npz_dataset(folder / "a.npz", options); }),
               "no splits"));
}

TEST(NpzDataset, RefusesArraysOfTheWrongShape) {
  PublishedFile content;
  content.edges = content.edges.t().contiguous().slice(1, 0, 1);
  EXPECT_TRUE(contains(load_error(content), "edges: expected shape [E, 2]"));
  content = PublishedFile();
  content.labels = torch::zeros({2, 2}, torch::kLong);
  EXPECT_TRUE(contains(load_error(content), "node_labels: expected"));
  content = PublishedFile();
  content.features = torch::rand({4});
  EXPECT_TRUE(contains(load_error(content), "node_features: expected"));
  content = PublishedFile();
  content.features = torch::rand({5, 3});
  EXPECT_TRUE(contains(load_error(content), "5 feature rows for 4 nodes"));
  content = PublishedFile();
  content.train = torch::zeros({2, 5}, torch::kBool);
  EXPECT_TRUE(contains(load_error(content), "train_masks[0]"));
  content = PublishedFile();
  content.test = torch::zeros({3, 4}, torch::kBool);
  EXPECT_TRUE(contains(load_error(content), "expected shape [2, 4]"));
}

TEST(NpzDataset, RefusesNumbersThatCannotBe) {
  PublishedFile content;
  content.edges[1][0] = 4;
  EXPECT_TRUE(contains(load_error(content), "edge 1 joins nodes 4 and 2"));
  content = PublishedFile();
  content.edges = content.edges.to(torch::kFloat);
  EXPECT_TRUE(contains(load_error(content), "edges: expected integers"));
  content = PublishedFile();
  content.labels[3] = -5;
  EXPECT_TRUE(contains(load_error(content), "node 3 has label -5"));
  content = PublishedFile();
  content.labels[3] = int64_t{1} << 40;
  EXPECT_TRUE(contains(load_error(content), "node_labels: expected classes"));
  content.labels[3] = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(contains(load_error(content), "got 9223372036854775807"));
  content = PublishedFile();
  content.features[1][2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(load_error(content),
                       "feature 2 of node 1 is nan (column and row, counted "
                       "from 0); features are finite numbers: fill the gap"));
  content = PublishedFile();
  content.features[1][2] = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(contains(load_error(content), "feature 2 of node 1"));
  content = PublishedFile();
  content.test[0][0] = true;
  EXPECT_TRUE(contains(load_error(content),
                       "node 0 is in both train and "
                       "test"));
  content = PublishedFile();
  content.labels = torch::empty({0}, torch::kLong);
  EXPECT_TRUE(contains(load_error(content), "at least one node"));
}

// A loop over such rows would not end, and would take memory for each.
TEST(NpzDataset, RefusesRowsWithoutElements) {
  const int64_t many = int64_t{1} << 60;
  PublishedFile content;
  content.features = torch::empty({many, 0});
  EXPECT_TRUE(contains(load_error(content), "feature rows for 4 nodes"));
  content = PublishedFile();
  content.labels = torch::empty({0}, torch::kLong);
  content.train = torch::empty({many, 0}, torch::kBool);
  content.val = content.train;
  content.test = content.train;
  EXPECT_TRUE(contains(load_error(content), "at least one node"));
}

TEST(NpzDataset, NamesTheArrayThatIsMissing) {
  PublishedFile content;
  content.features = at::Tensor();
  EXPECT_TRUE(contains(load_error(content), "node_features"));
  content = PublishedFile();
  content.val = at::Tensor();
  EXPECT_TRUE(contains(load_error(content), "val_masks"));
}

// Writes a valid file of ours but for its meta.json and sparse feature arrays.
std::string our_file_error(const std::string& meta, const at::Tensor& rowptr,
                           const at::Tensor& shape) {
  const TempDir folder;
  const auto file = folder / "a.npz";
  core::NpzWriter archive(file);
  archive.add("edges", torch::zeros({0, 2}, torch::kLong));
  archive.add("node_labels", ints({0, 0}));
  archive.add("features_rowptr", rowptr);
  archive.add("features_col", torch::zeros({1}, torch::kInt));
  archive.add("features_value", torch::ones({1}));
  archive.add("features_shape", shape);
  archive.add_bytes("meta.json", meta);
  archive.finish();
  const std::string message = error_of([&] { load_npz_dataset(file); });
  if (!message.empty()) {
    EXPECT_TRUE(contains(message, file.string()));
  }
  return message;
}

TEST(NpzDataset, RefusesDatesOutsideOfAnyCalendar) {
  const auto error = [](double days) {
    const TempDir folder;
    core::NpzWriter archive(folder / "a.npz");
    archive.add("edges", torch::zeros({0, 2}, torch::kLong));
    archive.add("node_labels", ints({0, 0}));
    archive.add("table_numbers",
                torch::tensor({{19782.0, days}}, torch::kDouble));
    archive.add("table_codes", torch::zeros({0, 2}, torch::kInt));
    archive.add_bytes("meta.json", R"({"version":1,"name":"x",
        "num_classes":1,"directed":true,"table":[{"name":"c","kind":"date"}],
        "columns":[{"name":"c","kind":"date","mean":0,"deviation":1,
        "fill":0}]})");
    archive.finish();
    return error_of([&] { load_npz_dataset(folder / "a.npz"); });
  };
  EXPECT_EQ(error(20000), "");
  EXPECT_EQ(error(NAN), "");
  for (const double days : {4e6, -9.3e18, HUGE_VAL}) {
    EXPECT_TRUE(contains(error(days), "column 'c', row 1")) << error(days);
  }
}

TEST(NpzDataset, RefusesADamagedDescription) {
  const at::Tensor rowptr = ints({0, 1, 1});
  const at::Tensor shape = ints({2, 3});
  const std::string good =
      R"({"version":1,"name":"x","num_classes":1,"directed":true})";
  EXPECT_EQ(our_file_error(good, rowptr, shape), "");
  for (const char* meta :
       {"", "{", "[]", "null", R"({"version":"1"})", R"({"version":1})",
        R"({"version":1,"name":5,"num_classes":1,"directed":true})",
        R"({"version":1,"name":"x","num_classes":1e300,"directed":true})",
        R"({"version":1,"name":"x","num_classes":1.5,"directed":true})",
        R"({"version":1,"name":"x","num_classes":1,"directed":3})"}) {
    EXPECT_TRUE(contains(our_file_error(meta, rowptr, shape), "meta.json"))
        << meta;
  }
  EXPECT_TRUE(
      contains(our_file_error(R"({"version":2})", rowptr, shape), "version 2"));
  for (const std::string& meta : {deep_json(), deep_object("columns")}) {
    EXPECT_TRUE(contains(our_file_error(meta, rowptr, shape),
                         "meta.json: is nested deeper than 64 levels"));
  }
  for (const char* count : {"-1", "9223372036854775808", "1e300"}) {
    const std::string table = fmt::format(
        R"({{"version":1,"name":"x","num_classes":1,"directed":true,
            "table":[{{"name":"c","kind":"text","missing":{}}}]}})",
        count);
    EXPECT_TRUE(contains(our_file_error(table, rowptr, shape),
                         "meta.json: 'missing' must be a whole number"));
  }
}

TEST(NpzDataset, RefusesSparseArraysThatDoNotFit) {
  const std::string meta =
      R"({"version":1,"name":"x","num_classes":1,"directed":true})";
  const at::Tensor rowptr = ints({0, 1, 1});
  EXPECT_NE(our_file_error(meta, ints({0, 5, 1}), ints({2, 3})), "");
  EXPECT_NE(our_file_error(meta, ints({0, 1}), ints({2, 3})), "");
  EXPECT_NE(our_file_error(meta, rowptr, ints({2, 0})), "");
  EXPECT_NE(our_file_error(meta, rowptr, ints({2})), "");
  EXPECT_TRUE(contains(
      our_file_error(meta, rowptr, ints({2, int64_t{1} << 50})), "features"));
}

TEST(NpzDataset, RecognisesItsFilesAndReportsDamagedOnes) {
  const TempDir folder;
  PublishedFile().write(folder / "a.npz");
  EXPECT_TRUE(is_npz_dataset(folder / "a.npz"));
  core::NpzWriter other(folder / "b.npz");
  other.add("adj_data", ints({1}));
  other.finish();
  EXPECT_FALSE(is_npz_dataset(folder / "b.npz"));
  EXPECT_FALSE(is_npz_dataset(folder.path()));
  truncate_file(folder / "a.npz", 100);
  EXPECT_THROW(is_npz_dataset(folder / "a.npz"), Error);
  write_text(folder / "c.npz", "not a zip");
  EXPECT_THROW(is_npz_dataset(folder / "c.npz"), Error);
}

}  // namespace
}  // namespace ordered_gnn::data
