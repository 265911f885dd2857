#include "data/formats/csv/added_nodes.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "data/tables/table_support.h"
#include "data/tables/treatment.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::data {
namespace {

// Four nodes with names and two named features.
NodeDataset people() {
  RawDataset raw;
  raw.name = "people";
  raw.num_nodes = 4;
  raw.edges = torch::tensor({0, 1, 1, 2}, at::kLong).view({2, 2});
  raw.features = NodeFeatures::dense(torch::rand({4, 2}));
  raw.labels = torch::full({4}, -1, at::kLong);
  raw.node_names = {"ann", "bob", "cy, jr", "bob 2"};
  raw.feature_names = {"age", "income"};
  return prepare(raw, {});
}

class AddedTables : public testing::Test {
 protected:
  AddedNodes read(const std::string& nodes, const std::string& edges,
                  const std::string& id = "") {
    AddedFiles files;
    files.id = id;
    if (nodes != kNone) write_text(files.nodes = dir_ / "new.csv", nodes);
    if (edges != kNone) write_text(files.edges = dir_ / "edges.csv", edges);
    return read_added_nodes(data_, files);
  }
  std::string message(const std::string& nodes, const std::string& edges,
                      const std::string& id = "") {
    return error_of([&] { read(nodes, edges, id); });
  }

  static constexpr const char* kNone = "no file";
  TempDir dir_;
  NodeDataset data_ = people();
};

TEST_F(AddedTables, ColumnsAreMatchedByNameAndEndsByTheNamesOfNodes) {
  const AddedNodes added =
      read("who,income,age\neve,10,1\n\"f \"\"2\"\"\",20,2\n",
           "source,target\neve,ann\n\"cy, jr\",\"f \"\"2\"\"\"\neve,eve\n");
  EXPECT_EQ(added.names, (std::vector<std::string>{"eve", "f \"2\""}));
  EXPECT_TRUE(torch::equal(added.features,
                           torch::tensor({1.f, 10.f, 2.f, 20.f}).view({2, 2})));
  EXPECT_TRUE(torch::equal(
      added.edges, torch::tensor({4, 2, 4, 0, 5, 4}, at::kLong).view({2, 3})));
}

TEST_F(AddedTables, TheColumnOfNamesMayBeAnyOne) {
  const AddedNodes added = read("age,who,income\n1,eve,10\n", kNone, "who");
  EXPECT_EQ(added.names, (std::vector<std::string>{"eve"}));
  EXPECT_TRUE(
      torch::equal(added.features, torch::tensor({1.f, 10.f}).view({1, 2})));
  EXPECT_EQ(added.edges.size(1), 0);
  EXPECT_TRUE(contains(message("age,who,income\n1,eve,10\n", kNone, "name"),
                       "new.csv:1: there is no column 'name' of names; the "
                       "columns are age, who and income"));
}

TEST_F(AddedTables, EdgesAloneNeedNoTableOfNodes) {
  const AddedNodes added = read(kNone, "source,target\nann,bob 2\n");
  EXPECT_EQ(added.num_nodes(), 0);
  EXPECT_TRUE(
      torch::equal(added.edges, torch::tensor({0, 3}, at::kLong).view({2, 1})));
  EXPECT_TRUE(contains(message(kNone, "source,target\nann,eve\n"),
                       "edges.csv:2: node 'eve' is neither in dataset 'people' "
                       "nor new; nodes are added by a table of them"));
}

TEST_F(AddedTables, NodesWithoutNamesAreNumbers) {
  data_.node_names.clear();
  data_.feature_names.clear();
  const AddedNodes next =
      read("node,a,b\n4,1,2\n5,3,4\n", "source,target\n5,0\n");
  EXPECT_TRUE(next.names.empty());
  EXPECT_EQ(next.features[1][0].item<float>(), 3);
  EXPECT_EQ(next.edges[0][0].item<int64_t>(), 5);
  EXPECT_EQ(read("node,a,b\nx,1,2\n", "source,target\n3,x\n").names,
            (std::vector<std::string>{"x"}));
  EXPECT_TRUE(contains(message("node,a,b\n3,1,2\n", kNone),
                       "new.csv:2: node '3' is in the graph already"));
  EXPECT_TRUE(contains(message("node,a\n4,1\n", kNone),
                       "new.csv:1: expected a column of names and 2 of "
                       "features, as many as the dataset has, got 2 columns"));
}

TEST_F(AddedTables, SaysWhichNameIsWrongAndWhere) {
  const std::string header = "who,age,income\n";
  EXPECT_TRUE(contains(message(header + "eve,1,2\nbob,1,2\n", kNone),
                       "new.csv:3: node 'bob' is in the graph already"));
  EXPECT_TRUE(contains(message(header + "eve,1,2\n\nfay,1,2\neve,1,2\n", kNone),
                       "new.csv:5: node 'eve' was already given in line 2"));
  EXPECT_TRUE(contains(message(header + ",1,2\n", kNone),
                       "new.csv:2: the name is empty"));
  EXPECT_TRUE(contains(
      message(header + "eve,1,2\n", "source,target\neve,ann\nann,gus\n"),
      "edges.csv:3: node 'gus' is neither in dataset 'people' nor in new.csv"));
  data_.node_names[3] = "bob";
  EXPECT_TRUE(
      contains(message(kNone, "source,target\nann,bob\n"),
               "edges.csv:2: dataset 'people' has several nodes 'bob'"));
  EXPECT_TRUE(contains(message(header + "bob,1,2\n", kNone),
                       "node 'bob' is in the graph already"));
}

TEST_F(AddedTables, SaysWhichColumnOrCellIsWrongAndWhere) {
  EXPECT_TRUE(contains(message("who,age\neve,1\n", kNone),
                       "new.csv:1: there is no column 'income', which the "
                       "dataset has"));
  EXPECT_TRUE(contains(message("who,age,income,shoe\neve,1,2,3\n", kNone),
                       "new.csv:1: the dataset has no column 'shoe'"));
  EXPECT_TRUE(contains(message("who,age,age\neve,1,2\n", kNone),
                       "the dataset has no column 'age', or the file has it "
                       "twice"));
  EXPECT_TRUE(
      contains(message("who,age,income\neve,1,lots\n", kNone),
               "new.csv:2: expected a number for column 'income', got 'lots'"));
  EXPECT_TRUE(
      contains(message("who,age,income\neve,,2\n", kNone),
               "new.csv:2: expected a number for column 'age', got ''"));
  EXPECT_TRUE(
      contains(message("who,age,income\neve,1\n", kNone), "new.csv:2:"));
  EXPECT_TRUE(
      contains(message("who,age,income\neve,1,2,3\n", kNone), "new.csv:2:"));
  EXPECT_TRUE(contains(message(kNone, "from,to\nann,bob\n"),
                       "edges.csv:1: expected the header 'source,target', got "
                       "'from,to'"));
  EXPECT_TRUE(contains(message(kNone, "source,target\nann\n"), "edges.csv:2:"));
}

TEST_F(AddedTables, FilesWithoutRowsAreRefused) {
  EXPECT_TRUE(contains(message("", kNone), "new.csv: the file is empty"));
  EXPECT_TRUE(contains(message("who,age,income\n", kNone),
                       "new.csv: there are no rows after the header"));
  EXPECT_TRUE(contains(message(kNone, ""), "edges.csv: the file is empty"));
  EXPECT_TRUE(contains(message(kNone, "source,target\n"),
                       "edges.csv: there are no edges after the header"));
}

TEST_F(AddedTables, WhatCannotBeGivenToNewNodesIsSaid) {
  data_.columns = fit_columns(
      read_text("age,city\n1,oslo\n2,oslo\n3,rome\n4,rome\n").table);
  EXPECT_TRUE(contains(message("who,age,income\neve,1,2\n", kNone),
                       "are missing: 'city'"));
  data_.columns.clear();
  data_.features = NodeFeatures::identity(4);
  EXPECT_TRUE(contains(message("who,age,income\neve,1,2\n", kNone),
                       "has node ids as features"));
}

}  // namespace
}  // namespace ordered_gnn::data
