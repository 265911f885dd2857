#include "ordered_gnn/data/ogb.h"

#include <algorithm>
#include <map>

#include "data/data_support.h"
#include "data/year_classes.h"
#include "ordered_gnn/data/csv_dataset.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

// A complete folder of four nodes and three edges; parts may be replaced or,
// by an empty text, left out.
using Files = std::map<std::string, std::string>;

Files small_ogb() {
  return {{"raw/num-node-list.csv", "4\n"},
          {"raw/num-edge-list.csv", "3\n"},
          {"raw/edge.csv", "0,1\n3,2\n1,1\n"},
          {"raw/node-feat.csv", "0.5,-1\n1e-3,2\n0,0\n-0.057943,4\n"},
          {"raw/node-label.csv", "2\n0.0\nnan\n1\n"},
          {"raw/node_year.csv", "2015\n2013\n2020\n2015\n"},
          {"split/time/train.csv", "1\n0\n"},
          {"split/time/valid.csv", "3\n"},
          {"split/time/test.csv", "2\n"}};
}

void write_files(const fs::path& folder, const Files& files, bool gzipped) {
  for (const auto& [name, text] : files) {
    if (text.empty()) continue;
    fs::create_directories((folder / name).parent_path());
    if (gzipped) {
      write_gzip(folder / (name + ".gz"), text);
    } else {
      write_text(folder / name, text);
    }
  }
}

std::string load_error(const std::string& name, const std::string& text,
                       const LoadOptions& options = {}) {
  const TempDir folder;
  Files files = small_ogb();
  files[name] = text;
  write_files(folder.path(), files, false);
  const std::string message =
      error_of([&] { load_ogb(folder.path(), options); });
  EXPECT_TRUE(contains(message, (folder.path() / name).string())) << message;
  return message;
}

LoadOptions with_years(int64_t classes) {
  LoadOptions options;
  options.year_classes = classes;
  return options;
}

// What NumPy writes for five equal dictionaries over eight nodes.
std::string small_split_dictionaries() {
  const auto list = [](const std::string& name, const std::vector<char>& ids) {
    std::string text = std::string("X") + static_cast<char>(name.size()) +
                       std::string(3, '\0') + name + "](";
    for (const char id : ids) text += std::string("K") + id;
    return text + "e";
  };
  std::string header =
      "{'descr': '|O', 'fortran_order': False, 'shape': (5,), }";
  header.resize(117, ' ');
  std::string text = std::string("\x93NUMPY\x01\x00v\x00", 10) + header + "\n";
  text += std::string("\x80\x03", 2) + "cnumpy.core.multiarray\n_reconstruct\n";
  text += std::string("cnumpy\nndarray\nK\x00\x85", 18) + "C\x01" + "b\x87R(";
  text +=
      "K\x01K\x05\x85"
      "cnumpy\ndtype\n";
  text += std::string("X\x02\x00\x00\x00O8\x89\x88\x87R(", 12);
  text += std::string("K\x03X\x01\x00\x00\x00|NNN", 11);
  text += "J\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](";
  for (int k = 0; k < 5; ++k) {
    text += "}(" + list("train", {0, 1, 2, 3}) + list("valid", {4, 5}) +
            list("test", {6, 7}) + "u";
  }
  return text + "etb.";
}

Files eight_nodes() {
  return {{"raw/num-node-list.csv", "8\n"},
          {"raw/num-edge-list.csv", "1\n"},
          {"raw/edge.csv", "0,7\n"},
          {"raw/node-feat.csv", "1\n2\n3\n4\n5\n6\n7\n8\n"},
          {"raw/node_year.csv", "1\n2\n3\n4\n5\n6\n7\n8\n"}};
}

TEST(Ogb, ReadsAFolderPlainAndGzipped) {
  for (const bool gzipped : {false, true}) {
    const TempDir root;
    const fs::path folder = root / "ogbn_tiny";
    write_files(folder, small_ogb(), gzipped);
    EXPECT_TRUE(is_ogb_folder(folder));
    const RawDataset raw = load_path(folder);
    EXPECT_EQ(raw.provenance.format, "ogb");
    EXPECT_EQ(raw.provenance.files.size(), 8u);
    EXPECT_EQ(raw.name, "ogbn_tiny");
    EXPECT_EQ(raw.num_nodes, 4);
    EXPECT_EQ(raw.num_classes, 3);
    EXPECT_FALSE(raw.edges_are_undirected);
    EXPECT_TRUE(torch::equal(
        raw.edges, torch::tensor({{0, 3, 1}, {1, 2, 1}}, torch::kLong)));
    EXPECT_TRUE(torch::equal(raw.labels, ints({2, 0, -1, 1})));
    EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::dense);
    EXPECT_TRUE(torch::equal(
        raw.features.to_dense(),
        torch::tensor(
            {{0.5f, -1.f}, {1e-3f, 2.f}, {0.f, 0.f}, {-0.057943f, 4.f}})));
    EXPECT_EQ(raw.split_set, "time");
    ASSERT_EQ(raw.splits.size(), 1u);
    EXPECT_TRUE(
        same_split(raw.splits[0], {ints({0, 1}), ints({3}), ints({2})}));
    ASSERT_EQ(raw.provenance.notes.size(), 1u);
    EXPECT_TRUE(
        contains(raw.provenance.notes[0], "1 nodes have the label nan"));
  }
}

TEST(Ogb, TakesTheFirstSplitSetByNameAndSaysSo) {
  const TempDir folder;
  Files files = small_ogb();
  files["split/early/train.csv"] = "3\n";
  files["split/early/valid.csv"] = "2\n";
  files["split/early/test.csv"] = "1\n";
  write_files(folder.path(), files, false);
  const RawDataset first = load_ogb(folder.path());
  EXPECT_EQ(first.split_set, "early");
  EXPECT_TRUE(contains(first.provenance.notes.back(), "of 2 split sets"));
  LoadOptions options;
  options.split_set = "time";
  const RawDataset asked = load_path(folder.path(), "auto", options);
  EXPECT_EQ(asked.split_set, "time");
  options.split_set = "none";
  EXPECT_TRUE(load_ogb(folder.path(), options).splits.empty());
  options.split_set = "tmie";
  EXPECT_TRUE(
      contains(error_of([&] { load_path(folder.path(), "auto", options); }),
               "did you mean 'time'"));
}

TEST(Ogb, LoadsWithoutSplitsAndSaysSo) {
  const TempDir folder;
  Files files = small_ogb();
  for (const char* part : {"train", "valid", "test"}) {
    files.erase(std::string("split/time/") + part + ".csv");
  }
  write_files(folder.path(), files, false);
  const RawDataset raw = load_ogb(folder.path());
  EXPECT_TRUE(raw.splits.empty());
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "no splits"));
}

TEST(Ogb, NamesEveryMissingFileAtOnce) {
  const TempDir folder;
  Files files = small_ogb();
  files["raw/edge.csv"] = files["raw/node-feat.csv"] = "";
  write_files(folder.path(), files, true);
  const std::string message = error_of([&] { load_ogb(folder.path()); });
  EXPECT_TRUE(contains(message, (folder / "raw/edge.csv[.gz]").string()));
  EXPECT_TRUE(contains(message, (folder / "raw/node-feat.csv[.gz]").string()));
  EXPECT_FALSE(contains(message, "node-label"));
}

TEST(Ogb, NamesTheMissingPartOfASplit) {
  EXPECT_TRUE(contains(load_error("split/time/valid.csv", ""), "missing"));
}

TEST(Ogb, NamesBothFilesWhenCountsDiffer) {
  for (const auto& [name, text, list] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"raw/edge.csv", "0,1\n", "has 1 edges, but"},
           {"raw/edge.csv", "0,1\n0,1\n0,1\n0,1\n", "has 4 edges, but"},
           {"raw/node-feat.csv", "1\n2\n3\n", "has 3 feature rows, but"},
           {"raw/node-feat.csv", "1\n2\n3\n4\n5\n", "has 5 feature rows"},
           {"raw/node-feat.csv", "\n", "has 0 feature rows"},
           {"raw/node-label.csv", "0\n", "has 1 labels, but"}}) {
    const std::string message = load_error(name, text);
    EXPECT_TRUE(contains(message, list));
    EXPECT_TRUE(contains(
        message, name == "raw/edge.csv" ? "num-edge-list" : "num-node-list"));
  }
  EXPECT_TRUE(contains(load_error("raw/node_year.csv", "1\n", with_years(2)),
                       "has 1 years, but"));
}

TEST(Ogb, RefusesCountsThatAreNoCount) {
  for (const char* text : {"x\n", "-1\n", "4\n4\n", "\n", "4.5\n"}) {
    load_error("raw/num-node-list.csv", text);
    load_error("raw/num-edge-list.csv", text);
  }
  // A count that nothing else bears out costs no memory.
  EXPECT_TRUE(contains(
      load_error("raw/num-node-list.csv", "4000000000000000000\n"), "labels"));
}

TEST(Ogb, NamesTheLineOfABadEdge) {
  for (const char* edge : {"0,4", "4,0", "-1,0", "0", "0;1", "0,1,2", "a,b",
                           "0,1.0", "99999999999999999999,0"}) {
    EXPECT_TRUE(contains(
        load_error("raw/edge.csv", std::string("0,1\n") + edge + "\n1,2\n"),
        "edge.csv:2:"))
        << edge;
  }
}

TEST(Ogb, NamesTheLineOfBadFeatures) {
  for (const char* row :
       {"nan,1", "1,inf", "1", "1,2,3", "x,1", "1,", "1e39,0", ",", "1 ,2"}) {
    EXPECT_TRUE(contains(load_error("raw/node-feat.csv",
                                    std::string("1,2\n3,4\n") + row + "\n1,2"),
                         "node-feat.csv:3:"))
        << row;
  }
}

TEST(Ogb, NamesTheLineOfABadLabel) {
  for (const char* label :
       {"-1", "1.5", "x", "1e30", "1,2", "inf", "1000000"}) {
    EXPECT_TRUE(contains(load_error("raw/node-label.csv",
                                    std::string("0\n") + label + "\n1\n1\n"),
                         "node-label.csv:2:"))
        << label;
  }
}

TEST(Ogb, RefusesSplitsThatCannotBe) {
  EXPECT_TRUE(
      contains(load_error("split/time/train.csv", "0\n4\n"), "train.csv:2:"));
  EXPECT_TRUE(
      contains(load_error("split/time/train.csv", "0\nx\n"), "train.csv:2:"));
  EXPECT_TRUE(contains(load_error("split/time/train.csv", "0\n1\n0\n"),
                       "node 0 more than once"));
  const TempDir folder;
  Files files = small_ogb();
  files["split/time/valid.csv"] = "0\n";
  write_files(folder.path(), files, false);
  EXPECT_TRUE(contains(error_of([&] { load_ogb(folder.path()); }),
                       "node 0 is in both train and val"));
}

TEST(Ogb, CutsYearsIntoClasses) {
  const TempDir folder;
  write_files(folder.path(), small_ogb(), false);
  const RawDataset raw = load_ogb(folder.path(), with_years(2));
  // Median 2015: equal goes up.
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0, 1, 1})));
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "node_year.csv cut into 2"));
}

TEST(Ogb, YearClassesNeedYears) {
  EXPECT_TRUE(
      contains(load_error("raw/node_year.csv", "", with_years(5)), "missing"));
  for (const char* year : {"x", "2015.5", "nan", "1e13"}) {
    EXPECT_TRUE(contains(
        load_error("raw/node_year.csv", std::string("1\n") + year + "\n1\n1\n",
                   with_years(5)),
        "node_year.csv:2:"))
        << year;
  }
  const TempDir folder;
  write_files(folder.path(), small_ogb(), false);
  EXPECT_THROW(load_ogb(folder.path(), with_years(-1)), UsageError);
  EXPECT_THROW(load_ogb(folder.path(), with_years(kMaxClasses + 1)),
               UsageError);
}

TEST(YearClasses, InterpolateBetweenYearsAsNumPyDoes) {
  // numpy.quantile([1, 2, 3, 10], [1/3, 2/3]) = 2, 3.
  EXPECT_TRUE(
      torch::equal(classes_of_years({10, 1, 3, 2}, 3), ints({2, 0, 2, 1})));
  // numpy.quantile([1, 2, 3, 10], 0.5) = 2.5.
  EXPECT_TRUE(
      torch::equal(classes_of_years({10, 1, 3, 2}, 2), ints({1, 0, 1, 0})));
  EXPECT_TRUE(torch::equal(classes_of_years({7}, 5), ints({4})));
  EXPECT_TRUE(torch::equal(classes_of_years({7, 8}, 1), ints({0, 0})));
  EXPECT_TRUE(torch::equal(classes_of_years({-5, -3, -1}, 2), ints({0, 1, 1})));
}

TEST(Ogb, FindsTheArxivYearSplitsInTheirPlaces) {
  const TempDir root;
  const fs::path folder = root / "data" / "ogbn_tiny";
  write_files(folder, eight_nodes(), false);
  const RawDataset without = load_ogb(folder, with_years(2));
  EXPECT_TRUE(without.splits.empty());
  EXPECT_TRUE(
      contains(without.provenance.notes.back(), "arxiv-year-splits.npy"));
  LoadOptions options = with_years(2);
  options.split_set = "arxiv-year";
  EXPECT_TRUE(contains(error_of([&] { load_ogb(folder, options); }),
                       (root / "data" / "arxiv-year").string()));
  options.split_folders = {root / "elsewhere"};
  const std::string content = small_split_dictionaries();
  for (const fs::path& place : {root / "data" / "arxiv-year", root / "data",
                                folder, root / "elsewhere"}) {
    write_text(place / "arxiv-year-splits.npy", content);
    const RawDataset raw = load_ogb(folder, options);
    EXPECT_EQ(raw.split_set, "arxiv-year");
    ASSERT_EQ(raw.splits.size(), 5u);
    EXPECT_TRUE(same_split(raw.splits[4],
                           {ints({0, 1, 2, 3}), ints({4, 5}), ints({6, 7})}));
    EXPECT_EQ(raw.provenance.files.back(),
              (place / "arxiv-year-splits.npy").string());
  }
}

TEST(Ogb, RecognisesItsFolders) {
  const TempDir folder;
  EXPECT_FALSE(is_ogb_folder(folder.path()));
  write_gzip((fs::create_directories(folder / "raw"),
              folder / "raw" / "node-label.csv.gz"),
             "0\n");
  EXPECT_TRUE(is_ogb_folder(folder.path()));
  EXPECT_FALSE(is_csv_folder(folder.path()));
}

constexpr int64_t kArxivNodes = 169343;
constexpr int64_t kArxivEdges = 1166243;

// The real parts of ogbn-arxiv, with edges and features made up.
class RealArxiv : public ::testing::Test {
 protected:
  void SetUp() override {
    if (real_data().empty()) {
      GTEST_SKIP() << "set OGNN_DATA to the folder of the benchmark data";
    }
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

std::vector<int64_t> class_sizes(const RawDataset& raw) {
  const at::Tensor counts = torch::bincount(raw.labels, {}, raw.num_classes);
  return {counts.data_ptr<int64_t>(),
          counts.data_ptr<int64_t>() + counts.size(0)};
}

std::vector<int64_t> sizes_of(const Split& split) {
  return {split.train.size(0), split.val.size(0), split.test.size(0)};
}

TEST_F(RealArxiv, HasThePublishedSubjectsAndTimeSplit) {
  const RawDataset raw = load_path(folder());
  EXPECT_EQ(raw.num_nodes, kArxivNodes);
  EXPECT_EQ(raw.edges.size(1), kArxivEdges);
  EXPECT_EQ(raw.features.num_features(), 2);
  EXPECT_EQ(raw.num_classes, 40);
  const std::vector<int64_t> sizes = class_sizes(raw);
  EXPECT_EQ((std::vector<int64_t>(sizes.begin(), sizes.begin() + 5)),
            (std::vector<int64_t>{565, 687, 4839, 2080, 5862}));
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 27321);
  EXPECT_EQ(raw.split_set, "time");
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_EQ(sizes_of(raw.splits[0]),
            (std::vector<int64_t>{90941, 29799, 48603}));
}

TEST_F(RealArxiv, HasThePublishedYearClassesAndSplits) {
  LoadOptions options = with_years(5);
  options.split_folders = {real_data() / "arxiv-year"};
  const RawDataset raw = load_path(folder(), "auto", options);
  EXPECT_EQ(class_sizes(raw),
            (std::vector<int64_t>{31971, 21189, 37781, 29799, 48603}));
  EXPECT_EQ(raw.split_set, "arxiv-year");
  ASSERT_EQ(raw.splits.size(), 5u);
  for (const Split& split : raw.splits) {
    EXPECT_EQ(sizes_of(split), (std::vector<int64_t>{84671, 42335, 42337}));
  }
}

TEST(Ogb, TheRealFolderLacksEdgesAndFeatures) {
  if (real_data().empty()) {
    GTEST_SKIP() << "set OGNN_DATA to the folder of the benchmark data";
  }
  const fs::path folder = real_data() / "ogbn-arxiv";
  if (fs::exists(folder / "raw" / "edge.csv.gz")) {
    GTEST_SKIP() << "the folder has its edges by now";
  }
  const std::string message = error_of([&] { load_path(folder); });
  EXPECT_TRUE(contains(message, (folder / "raw/edge.csv[.gz]").string()));
  EXPECT_TRUE(contains(message, (folder / "raw/node-feat.csv[.gz]").string()));
}

}  // namespace
}  // namespace ordered_gnn
