#include <cstring>
#include <limits>
#include <random>

#include "core/io/file.h"
#include "data/fingerprint.h"
#include "data/formats/csv/csv_support.h"
#include "data/formats/npz/dataset.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

void expect_same(const RawDataset& a, const RawDataset& b) {
  EXPECT_EQ(content_fingerprint(a), content_fingerprint(b));
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.features.kind(), b.features.kind());
  EXPECT_EQ(a.features.num_features(), b.features.num_features());
  EXPECT_EQ(a.split_set, b.split_set);
  EXPECT_EQ(a.node_names, b.node_names);
  EXPECT_EQ(a.class_names, b.class_names);
  ASSERT_EQ(a.recommended.has_value(), b.recommended.has_value());
  if (a.recommended) {
    EXPECT_EQ(a.recommended->direction, b.recommended->direction);
    EXPECT_EQ(a.recommended->self_loops, b.recommended->self_loops);
    EXPECT_EQ(a.recommended->features, b.recommended->features);
  }
}

// The dataset after .npz -> CSV -> .npz, each step checked.
void expect_round_trips(const RawDataset& raw) {
  const TempDir folder;
  write_npz_dataset(folder / "a.npz", raw);
  const RawDataset from_npz = load_path(folder / "a.npz");
  write_csv_dataset(folder / "b", from_npz);
  const RawDataset from_csv = load_path(folder / "b");
  EXPECT_EQ(from_csv.provenance.format, "csv");
  expect_same(raw, from_csv);
  Names notes = from_npz.provenance.notes;
  notes.emplace_back("converted from npz");
  EXPECT_EQ(from_csv.provenance.notes, notes);
  write_npz_dataset(folder / "c.npz", from_csv);
  expect_same(raw, load_path(folder / "c.npz"));
  // A copy of the copy has the same bytes.
  write_csv_dataset(folder / "d", from_csv);
  for (const auto& file : fs::directory_iterator(folder / "b")) {
    EXPECT_EQ(core::read_file(file.path()),
              core::read_file(folder / "d" / file.path().filename()))
        << file.path();
  }
}

TEST(CsvDatasetWriter, RoundTripsDenseFeaturesBitForBit) {
  RawDataset raw = small_dataset();
  expect_round_trips(raw);
  std::mt19937 random(1);
  at::Tensor values = torch::empty({4, 500});
  float* const value = values.data_ptr<float>();
  for (int64_t i = 0; i < values.numel(); ++i) {
    const uint32_t bits = random();
    std::memcpy(value + i, &bits, sizeof(bits));
    if (!std::isfinite(value[i])) value[i] = -0.0f;
  }
  value[0] = std::numeric_limits<float>::denorm_min();
  value[1] = std::numeric_limits<float>::max();
  value[2] = -std::numeric_limits<float>::min();
  raw.features = NodeFeatures::dense(values);
  expect_round_trips(raw);
  raw.features = NodeFeatures::dense(torch::zeros({4, 9}));
  expect_round_trips(raw);
}

TEST(CsvDatasetWriter, RoundTripsSparseFeaturesWithStoredZeros) {
  RawDataset raw = small_dataset();
  raw.features = NodeFeatures::sparse(
      {ints({0, 3, 3, 4, 4}), torch::tensor({1, 2, 70000, 4}, torch::kInt),
       torch::tensor({0.1f, -0.f, 0.f, 1e-30f})},
      80000);
  expect_round_trips(raw);
  raw.features =
      NodeFeatures::sparse({ints({0, 0, 0, 0, 0}),
                            torch::empty({0}, torch::kInt), torch::empty({0})},
                           3);
  expect_round_trips(raw);
}

TEST(CsvDatasetWriter, RoundTripsIdentityFeatures) {
  RawDataset raw = small_dataset();
  raw.features = NodeFeatures::identity(4);
  expect_round_trips(raw);
}

TEST(CsvDatasetWriter, RoundTripsWhatIsUnusual) {
  RawDataset raw = small_dataset();
  raw.edges = torch::tensor({{0, 0, 1, 2, 2}, {1, 1, 0, 2, 2}}, torch::kLong);
  raw.edges_are_undirected = true;
  raw.labels = ints({-1, 0, -1, 1});
  raw.num_classes = 5;  // classes 2 to 4 have no node
  raw.splits = {{ints({0, 2}), ints({}), ints({3})},
                {ints({1}), ints({0}), ints({2})}};
  raw.split_set = "random:50/25/25 seed 3";
  raw.recommended = Treatment{Direction::reversed, SelfLoops::remove,
                              Treatment::Features::identity};
  raw.provenance.notes = {"something, \"quoted\", was dropped"};
  expect_round_trips(raw);
  raw.edges = torch::empty({2, 0}, torch::kLong);
  raw.labels.fill_(-1);
  raw.num_classes = 0;
  raw.splits.clear();
  raw.split_set.clear();
  expect_round_trips(raw);
}

TEST(CsvDatasetWriter, RoundTripsEveryKindOfNodeNames) {
  RawDataset raw = small_dataset();
  for (const Names& names : {
           Names{"a", "b, c", "\"d\" \"\"e", "\u00e9\u4e2d\U0001F600"},
           Names{"10", "11", "12", "13"},      // numbers, but not 0 .. 3
           Names{"3", "2", "1", "0"},          // would be read as numbers
           Names{"0", "1", "2", "3"},          // the same
           Names{"007", "1", "2", "3"},        // texts all the same
           Names{"a", "a", "b", "c"},          // a name twice
           Names{"a", "", "b", "c"},           // an empty name
           Names{"a\nb", "c\r", "d\te", " "},  // line breaks
           Names{"-1", "+1", "1.0", "node"},
           Names{std::string("a\0b", 3), "b", "c", "d"},
       }) {
    raw.node_names = names;
    SCOPED_TRACE(fmt::format("{}", names[0]));
    expect_round_trips(raw);
  }
}

TEST(CsvDatasetWriter, RoundTripsEveryKindOfClassNames) {
  RawDataset raw = small_dataset();
  for (const Names& names :
       {Names{"red, dark", "\"blue\""}, Names{"b", "a"}, Names{"1", "0"},
        Names{"x", "x"}, Names{"", "y"}, Names{"a\nb", "c"}, Names{"-1", "-2"},
        Names{"a", "7"}, Names{"\u00e9", "\u4e2d"}}) {
    raw.class_names = names;
    SCOPED_TRACE(names[0]);
    expect_round_trips(raw);
  }
}

TEST(CsvDatasetWriter, WritesNamesWhereTheyCanBeIds) {
  RawDataset raw = small_dataset();
  raw.node_names = {"a", "b", "c", "d"};
  raw.class_names = {"no", "yes, indeed"};
  raw.edges = torch::tensor({{0}, {3}}, torch::kLong);
  const TempDir folder;
  write_csv_dataset(folder / "x", raw);
  EXPECT_EQ(core::read_file(folder / "x" / "edges.csv"),
            "source,target\na,d\n");
  EXPECT_EQ(core::read_file(folder / "x" / "labels.csv"),
            "node,label\na,no\nb,\"yes, indeed\"\nc,\"yes, indeed\"\nd,no\n");
  EXPECT_EQ(core::read_file(folder / "x" / "masks.csv"),
            "node,split_0\na,train\nb,val\nc,test\nd,\n");
}

TEST(CsvDatasetWriter, WritesMoreThanItsBufferHolds) {
  RawDataset raw = small_dataset();
  raw.num_nodes = 30000;
  raw.features = NodeFeatures::identity(raw.num_nodes);
  raw.labels = torch::arange(raw.num_nodes) % 2;
  raw.edges = torch::randint(raw.num_nodes, {2, 100000}, torch::kLong);
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    raw.node_names.push_back(fmt::format("node \"{}\", a name", v));
  }
  // A name that is longer than any buffer.
  raw.node_names[7] = std::string(200000, '"') + std::string(200000, 'x');
  const TempDir folder;
  write_csv_dataset(folder / "x", raw);
  expect_same(raw, load_csv_dataset(folder / "x"));
}

TEST(CsvDatasetWriter, ReplacesAFolderOfItsOwn) {
  const TempDir folder;
  RawDataset raw = small_dataset();
  write_csv_dataset(folder / "x", raw);
  raw.features = NodeFeatures::identity(4);
  raw.name = "second";
  write_csv_dataset(folder / "x", raw);
  EXPECT_EQ(load_csv_dataset(folder / "x").name, "second");
  EXPECT_FALSE(fs::exists(folder / "x" / "features.csv"));
  // Nothing of the first is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  fs::create_directory(folder / "empty");
  write_csv_dataset(folder / "empty", raw);
  EXPECT_EQ(load_csv_dataset(folder / "empty").name, "second");
}

TEST(CsvDatasetWriter, FollowsALinkAndTakesATrailingSlash) {
  const TempDir folder;
  const RawDataset raw = small_dataset();
  write_csv_dataset(folder / "x/", raw);
  fs::create_directory_symlink(folder / "x", folder / "link");
  write_csv_dataset(folder / "link", raw);
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  expect_same(raw, load_csv_dataset(folder / "link"));
}

TEST(CsvDatasetWriter, LeavesWhatIsNotItsOwnAlone) {
  const TempDir folder;
  const RawDataset raw = small_dataset();
  const auto refusal = [&](const char* name) {
    return error_of([&] { write_csv_dataset(folder / name, raw); });
  };
  write_text(folder / "file", "mine");
  EXPECT_TRUE(contains(refusal("file"), "is not a folder"));
  write_text(folder / "theirs" / "edges.csv", "mine");
  EXPECT_TRUE(contains(refusal("theirs"), "not written by this program"));
  write_text(folder / "theirs" / "dataset.json", R"({"name": "mine"})");
  EXPECT_TRUE(contains(refusal("theirs"), "not written by this program"));
  EXPECT_EQ(core::read_file(folder / "theirs" / "edges.csv"), "mine");
  write_csv_dataset(folder / "ours", raw);
  write_text(folder / "ours" / "thesis.txt", "mine");
  EXPECT_TRUE(contains(refusal("ours"), "holds 'thesis.txt'"));
  EXPECT_TRUE(contains(refusal("no/such/folder"), "cannot be written"));
}

TEST(CsvDatasetWriter, LeavesNothingBehindWhenItFails) {
  const TempDir folder;
  expect_nothing_left_of_invalid(folder, [&](const RawDataset& raw) {
    write_csv_dataset(folder / "x", raw);
  });
}

}  // namespace
}  // namespace ordered_gnn::data
