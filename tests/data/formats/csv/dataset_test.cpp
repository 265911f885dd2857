#include "data/formats/csv/dataset.h"

#include "data/formats/csv/csv_support.h"
#include "data/tables/table.h"

namespace ordered_gnn::data {
namespace {

using Names = std::vector<std::string>;

// A column of features.csv as it stands there, in node order.
std::vector<double> column_of(const RawDataset& raw, size_t index) {
  return raw.table->columns.at(index).numbers;
}

void expect_small(const RawDataset& raw) {
  EXPECT_EQ(raw.num_nodes, 4);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(torch::equal(
      raw.edges, torch::tensor({{0, 1, 3, 2}, {1, 2, 0, 2}}, torch::kLong)));
  EXPECT_TRUE(torch::equal(raw.labels, ints({0, -1, 1, -1})));
  EXPECT_EQ(column_of(raw, 0), (std::vector<double>{0.5, 2, 1e-3, 7}));
  EXPECT_EQ(column_of(raw, 1), (std::vector<double>{-1, 3, 4, 8}));
  ASSERT_EQ(raw.splits.size(), 2u);
  EXPECT_TRUE(same_split(raw.splits[0], {ints({0}), ints({1}), ints({2})}));
  EXPECT_TRUE(same_split(raw.splits[1], {ints({2}), ints({}), ints({0})}));
  EXPECT_EQ(raw.split_set, "file");
  EXPECT_TRUE(raw.node_names.empty());
  EXPECT_TRUE(raw.class_names.empty());
}

TEST(CsvDataset, ReadsAFolderWhoseLinesAreInAnyOrder) {
  const TempDir root;
  write_csv_files(root / "tiny", small_csv());
  const RawDataset raw = load_path(root / "tiny");
  expect_small(raw);
  EXPECT_EQ(raw.name, "tiny");
  EXPECT_EQ(raw.provenance.format, "csv");
  EXPECT_EQ(raw.provenance.files.size(), 4u);
  EXPECT_EQ(raw.provenance.notes, Names{"edges are read as directed"});
}

TEST(CsvDataset, ReadsGzippedFilesDosLineEndsAndBlankLines) {
  CsvFiles files = small_csv();
  for (auto& [name, text] : files) {
    std::string dos;
    for (const char c : text) {
      dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    text = "\xEF\xBB\xBF" + dos + "\r\n";
  }
  const TempDir folder;
  write_csv_files(folder.path(), files, true);
  EXPECT_TRUE(is_csv_folder(folder.path()));
  expect_small(load_csv_dataset(folder.path()));
}

TEST(CsvDataset, ReadsQuotedFieldsAnywhere) {
  expect_small(load_csv(
      {{"edges.csv", "\"source\",target\n\"0\",1\n1,\"2\"\n\"3\",\"0\"\n2,2\n"},
       {"labels.csv", "node,label\n2,\"1\"\n\"0\",0\n3,\n1,\"\"\n"},
       {"features.csv",
        "node,\"height, in m\",\"a "
        "\"\"b\"\"\"\n\"0\",\"0.5\",-1\n2,1e-3,\"4\"\n"
        "1,2,3\n3,7,8\n"},
       {"masks.csv",
        "node,split_0,split_1\n0,\"train\",test\n1,val,\"\"\n\"2\",test,"
        "train\n"}}));
}

TEST(CsvDataset, KeepsTextIdsInOrderOfAppearance) {
  const RawDataset raw = load_csv(
      {{"edges.csv", "source,target\nb,\"a, \"\"x\"\"\"\n\"a, \"\"x\"\"\",7\n"},
       {"labels.csv", "node,label\nb,0\n\"a, \"\"x\"\"\",1\n7,0\n\xC3\xA9,1\n"},
       {"features.csv", "node,f\n7,3\n\xC3\xA9,4\nb,1\n\"a, \"\"x\"\"\",2\n"},
       {"masks.csv", "node,split_0\n\xC3\xA9,train\n7,val\n"}});
  EXPECT_EQ(raw.node_names, (Names{"b", "a, \"x\"", "7", "\u00e9"}));
  EXPECT_TRUE(
      torch::equal(raw.edges, torch::tensor({{0, 1}, {1, 2}}, torch::kLong)));
  EXPECT_EQ(column_of(raw, 0), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(same_split(raw.splits[0], {ints({3}), ints({2}), ints({})}));
}

TEST(CsvDataset, TakesNumbersThatAreNotFromZeroOnAsTexts) {
  for (const Names& ids :
       {Names{"1", "2", "3"}, Names{"0", "1", "3"}, Names{"0", "1", "02"},
        Names{"0", "1", "-2"}, Names{"0", "1", "123456789012345678901"}}) {
    const RawDataset raw = load_csv(
        {{"edges.csv", fmt::format("source,target\n{},{}\n", ids[2], ids[0])},
         {"labels.csv", fmt::format("node,label\n{},0\n{},0\n{},1\n", ids[0],
                                    ids[1], ids[2])}});
    EXPECT_EQ(raw.node_names, ids);
    EXPECT_TRUE(
        torch::equal(raw.edges, torch::tensor({{2}, {0}}, torch::kLong)));
    EXPECT_TRUE(torch::equal(raw.labels, ints({0, 0, 1})));
  }
}

TEST(CsvDataset, TakesNodesFromTheFeaturesWhenThereAreNoLabels) {
  const RawDataset raw =
      load_csv({{"edges.csv", "source,target\n2,0\n"},
                {"features.csv", "node,f\n1,10\n2,20\n0,5\n"}});
  EXPECT_EQ(raw.num_nodes, 3);
  EXPECT_EQ(raw.num_classes, 0);
  EXPECT_TRUE(torch::equal(raw.labels, ints({-1, -1, -1})));
  EXPECT_EQ(column_of(raw, 0), (std::vector<double>{5, 10, 20}));
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "no labels.csv"));
  const RawDataset named = load_csv({{"edges.csv", "source,target\ny,x\n"},
                                     {"features.csv", "node,f\nx,1\ny,2\n"}});
  EXPECT_EQ(named.node_names, (Names{"x", "y"}));
}

TEST(CsvDataset, SortsTextLabelsIntoClasses) {
  const RawDataset raw =
      load_csv({{"edges.csv", "source,target\n"},
                {"labels.csv",
                 "node,label\n0,red\n1,\n2,7\n3,\"blue, dark\"\n4,red\n5,\n"}});
  EXPECT_EQ(raw.class_names, (Names{"7", "blue, dark", "red"}));
  EXPECT_EQ(raw.num_classes, 3);
  EXPECT_TRUE(torch::equal(raw.labels, ints({2, -1, 0, 1, 2, -1})));
}

TEST(CsvDataset, ClassNumbersThatSkipSomeAreNames) {
  const RawDataset raw = load_csv({{"edges.csv", "source,target\n"},
                                   {"labels.csv", "node,label\n0,12\n1,3\n"}});
  EXPECT_EQ(raw.class_names, (Names{"3", "12"}));
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0})));
  const RawDataset known =
      load_csv({{"edges.csv", "source,target\n"},
                {"labels.csv", "node,label\n0,12\n1,3\n"},
                {"dataset.json", R"({"num_classes": 13})"}});
  EXPECT_TRUE(known.class_names.empty());
  EXPECT_TRUE(torch::equal(known.labels, ints({12, 3})));
}

TEST(CsvDataset, MinusOneIsAClassUnlessToldOtherwise) {
  const TempDir folder;
  write_csv_files(folder.path(),
                  {{"edges.csv", "source,target\n"},
                   {"labels.csv", "node,label\n0,-1\n1,1\n2,\n3,0\n"}});
  const RawDataset raw = load_csv_dataset(folder.path());
  EXPECT_EQ(raw.class_names, (Names{"-1", "0", "1"}));
  EXPECT_TRUE(torch::equal(raw.labels, ints({0, 2, -1, 1})));
  LoadOptions options;
  options.unlabelled = "-1";
  EXPECT_TRUE(torch::equal(load_csv_dataset(folder.path(), options).labels,
                           ints({-1, 1, -1, 0})));
}

TEST(CsvDataset, UsesNodeIdsWithoutFeatures) {
  CsvFiles files = small_csv_with({{"features.csv", ""}});
  const RawDataset raw = load_csv(files);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::identity);
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "node ids are"));
  files["dataset.json"] = R"({"features": "identity", "directed": true})";
  EXPECT_TRUE(load_csv(files).provenance.notes.empty());
}

TEST(CsvDataset, MakesMostlyZeroFeaturesSparseUnlessToldOtherwise) {
  CsvFiles files =
      small_csv_with({{"features.csv",
                       "node,a,b,c\n0,0,0,1\n1,0,0,0\n2,0,0,0\n3,0.0,0,-0\n"}});
  EXPECT_EQ(load_csv(files).features.kind(), NodeFeatures::Kind::sparse);
  files["dataset.json"] = R"({"features": "dense"})";
  EXPECT_EQ(load_csv(files).features.kind(), NodeFeatures::Kind::dense);
}

TEST(CsvDataset, ReadsSparseFeaturesInAnyOrder) {
  CsvFiles files = small_csv_with(
      {{"features.csv", ""},
       {"sparse_features.csv",
        "node,feature,value\n2,70000,1.5\n0,3,1\n2,1,-2\n\"3\",0,0\n"}});
  const RawDataset raw = load_csv(files);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_EQ(raw.features.num_features(), 70001);
  const SparseRows& rows = raw.features.rows();
  EXPECT_TRUE(torch::equal(rows.rowptr, ints({0, 1, 1, 3, 4})));
  EXPECT_TRUE(
      torch::equal(rows.col, torch::tensor({3, 1, 70000, 0}, torch::kInt)));
  EXPECT_TRUE(torch::equal(rows.value, torch::tensor({1.f, -2.f, 1.5f, 0.f})));
  files["dataset.json"] = R"({"num_features": 80000})";
  EXPECT_EQ(load_csv(files).features.num_features(), 80000);
}

TEST(CsvDataset, ReadsSparseFeaturesOfTextIds) {
  // The ids are digits, but not the nodes' numbers.
  const RawDataset raw =
      load_csv({{"edges.csv", "source,target\n1,2\n"},
                {"labels.csv", "node,label\n2,0\n1,1\n"},
                {"sparse_features.csv", "node,feature,value\n1,0,5\n2,1,6\n"}});
  EXPECT_TRUE(torch::equal(raw.features.to_dense(),
                           torch::tensor({{0.f, 6.f}, {5.f, 0.f}})));
  EXPECT_TRUE(torch::equal(raw.edges, torch::tensor({{1}, {0}}, torch::kLong)));
}

TEST(CsvDataset, TakesFromTheDescriptionWhatTablesCannotSay) {
  const RawDataset raw = load_csv(small_csv_with(
      {{"labels.csv", "node,label\n2,b\n0,a\n3,\n1,\n"}, {"dataset.json", R"({
         "name": "mine", "directed": false, "num_classes": 3,
         "class_names": ["b", "c", "a"], "node_names": ["w", "x", "y", "y"],
         "split_set": "mine-2", "notes": ["by hand"],
         "treatment": {"direction": "reversed", "self_loops": "keep",
                       "features": "raw"}})"}}));
  EXPECT_EQ(raw.name, "mine");
  EXPECT_TRUE(raw.edges_are_undirected);
  EXPECT_EQ(raw.num_classes, 3);
  EXPECT_EQ(raw.class_names, (Names{"b", "c", "a"}));
  EXPECT_TRUE(torch::equal(raw.labels, ints({2, -1, 0, -1})));
  EXPECT_EQ(raw.node_names, (Names{"w", "x", "y", "y"}));
  EXPECT_EQ(raw.split_set, "mine-2");
  EXPECT_EQ(raw.provenance.notes, Names{"by hand"});
  ASSERT_TRUE(raw.recommended.has_value());
  EXPECT_EQ(raw.recommended->direction, Direction::reversed);
  EXPECT_EQ(raw.recommended->self_loops, SelfLoops::keep);
  EXPECT_EQ(raw.recommended->features, Treatment::Features::raw);
}

TEST(CsvDataset, LeavesOutSplitsOnRequest) {
  const TempDir folder;
  write_csv_files(folder.path(), small_csv());
  LoadOptions options;
  options.split_set = "none";
  EXPECT_TRUE(load_csv_dataset(folder.path(), options).splits.empty());
  std::filesystem::remove(folder / "masks.csv");
  EXPECT_TRUE(load_csv_dataset(folder.path()).splits.empty());
  options.split_set = "file";
  EXPECT_TRUE(
      contains(error_of([&] { load_csv_dataset(folder.path(), options); }),
               "masks.csv is missing"));
}

TEST(CsvDataset, RecognisesItsFolders) {
  const TempDir folder;
  EXPECT_FALSE(is_csv_folder(folder.path()));
  write_text(folder / "a" / "edges.csv", "x");
  write_text(folder / "b" / "labels.csv", "x");
  EXPECT_TRUE(is_csv_folder(folder / "a"));
  EXPECT_TRUE(is_csv_folder(folder / "b"));
}

}  // namespace
}  // namespace ordered_gnn::data
