#include "data/formats/ogb/ogb.h"

#include "data/formats/csv/dataset.h"
#include "data/formats/ogb/ogb_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

TEST(Ogb, ReadsAFolderPlainAndGzipped) {
  for (const bool gzipped : {false, true}) {
    const TempDir root;
    const fs::path folder = root / "ogbn_tiny";
    write_ogb_parts(folder, small_ogb(), gzipped);
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
  OgbParts files = small_ogb();
  files["split/early/train.csv"] = "3\n";
  files["split/early/valid.csv"] = "2\n";
  files["split/early/test.csv"] = "1\n";
  write_ogb_parts(folder.path(), files, false);
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
  OgbParts files = small_ogb();
  for (const char* part : {"train", "valid", "test"}) {
    files.erase(std::string("split/time/") + part + ".csv");
  }
  write_ogb_parts(folder.path(), files, false);
  const RawDataset raw = load_ogb(folder.path());
  EXPECT_TRUE(raw.splits.empty());
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "no splits"));
}

TEST(Ogb, SaysThatFeaturesOfEdgesAreNotRead) {
  const TempDir folder;
  OgbParts files = small_ogb();
  files["raw/edge-feat.csv"] = "0.5\n1\n2\n";
  write_ogb_parts(folder.path(), files, true);
  const RawDataset raw = load_ogb(folder.path());
  EXPECT_TRUE(
      contains(raw.provenance.notes.back(), "raw/edge-feat.csv is not read"));
  EXPECT_FALSE(raw.edge_weights.defined());
}

TEST(Ogb, NamesEveryMissingFileAtOnce) {
  const TempDir folder;
  OgbParts files = small_ogb();
  files["raw/edge.csv"] = files["raw/node-feat.csv"] = "";
  write_ogb_parts(folder.path(), files, true);
  const std::string message = error_of([&] { load_ogb(folder.path()); });
  EXPECT_TRUE(contains(message, (folder / "raw/edge.csv[.gz]").string()));
  EXPECT_TRUE(contains(message, (folder / "raw/node-feat.csv[.gz]").string()));
  EXPECT_FALSE(contains(message, "node-label"));
}

TEST(Ogb, NamesTheMissingPartOfASplit) {
  EXPECT_TRUE(contains(ogb_error("split/time/valid.csv", ""), "missing"));
}

TEST(Ogb, NamesBothFilesWhenCountsDiffer) {
  for (const auto& [name, text, list] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"raw/edge.csv", "0,1\n", "has 1 edges, but"},
           {"raw/edge.csv", "0,1\n0,1\n0,1\n0,1\n", "has more edges, but"},
           {"raw/node-feat.csv", "1\n2\n3\n", "has 3 feature rows, but"},
           {"raw/node-feat.csv", "1\n2\n3\n4\n5\n", "has more feature rows"},
           {"raw/node-feat.csv", "\n", "has 0 feature rows"},
           {"raw/node-label.csv", "0\n", "has 1 labels, but"}}) {
    const std::string message = ogb_error(name, text);
    EXPECT_TRUE(contains(message, list));
    EXPECT_TRUE(contains(
        message, name == "raw/edge.csv" ? "num-edge-list" : "num-node-list"));
  }
  EXPECT_TRUE(contains(ogb_error("raw/node_year.csv", "1\n", with_years(2)),
                       "has 1 years, but"));
}

TEST(Ogb, RefusesCountsThatAreNoCount) {
  for (const char* text : {"x\n", "-1\n", "4\n4\n", "\n", "4.5\n"}) {
    ogb_error("raw/num-node-list.csv", text);
    ogb_error("raw/num-edge-list.csv", text);
  }
  // A count that nothing else bears out costs no memory.
  EXPECT_TRUE(contains(
      ogb_error("raw/num-node-list.csv", "4000000000000000000\n"), "labels"));
}

TEST(Ogb, NamesTheLineOfABadEdge) {
  for (const char* edge : {"0,4", "4,0", "-1,0", "0", "0;1", "0,1,2", "a,b",
                           "0,1.0", "99999999999999999999,0"}) {
    EXPECT_TRUE(contains(
        ogb_error("raw/edge.csv", std::string("0,1\n") + edge + "\n1,2\n"),
        "edge.csv:2:"))
        << edge;
  }
}

TEST(Ogb, NamesTheLineOfBadFeatures) {
  for (const char* row :
       {"nan,1", "1,inf", "1", "1,2,3", "x,1", "1,", "1e39,0", ",", "1 ,2"}) {
    EXPECT_TRUE(contains(ogb_error("raw/node-feat.csv",
                                   std::string("1,2\n3,4\n") + row + "\n1,2"),
                         "node-feat.csv:3:"))
        << row;
  }
}

TEST(Ogb, NamesTheLineOfABadLabel) {
  for (const char* label :
       {"-1", "1.5", "x", "1e30", "1,2", "inf", "1000000"}) {
    EXPECT_TRUE(contains(ogb_error("raw/node-label.csv",
                                   std::string("0\n") + label + "\n1\n1\n"),
                         "node-label.csv:2:"))
        << label;
  }
}

TEST(Ogb, RefusesSplitsThatCannotBe) {
  EXPECT_TRUE(
      contains(ogb_error("split/time/train.csv", "0\n4\n"), "train.csv:2:"));
  EXPECT_TRUE(
      contains(ogb_error("split/time/train.csv", "0\nx\n"), "train.csv:2:"));
  EXPECT_TRUE(contains(ogb_error("split/time/train.csv", "0\n1\n0\n"),
                       "node 0 more than once"));
  const TempDir folder;
  OgbParts files = small_ogb();
  files["split/time/valid.csv"] = "0\n";
  write_ogb_parts(folder.path(), files, false);
  EXPECT_TRUE(contains(error_of([&] { load_ogb(folder.path()); }),
                       "node 0 is in both train and val"));
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

}  // namespace
}  // namespace ordered_gnn::data
