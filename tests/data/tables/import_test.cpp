#include "data/tables/import.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/npz/dataset.h"
#include "data/tables/graphml.h"
#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

constexpr const char* kNodes =
    "customer,age,plan,joined,churn\n"
    "anna,31,basic,2020-05-01,yes\n"
    "bert,45,plus,,no\n"
    "carl,,basic,2021-06-01,\n"
    "dora,52,plus,2022-07-01,no\n"
    "emil,28,basic,2019-08-01,yes\n"
    "fred,39,plus,2018-09-01,no\n";
constexpr const char* kEdges =
    "from,to,calls\nanna,bert,3\nbert,carl,1\ncarl,dora,2\nemil,fred,5\n";

class Import : public testing::Test {
 protected:
  Import() {
    write_text(folder_ / "nodes.csv", kNodes);
    write_text(folder_ / "edges.csv", kEdges);
    options_.nodes = folder_ / "nodes.csv";
    options_.edges = folder_ / "edges.csv";
    options_.id = "customer";
    options_.label = "churn";
  }
  std::string error() {
    return error_of([this] { import_tables(options_); });
  }

  TempDir folder_;
  ImportOptions options_;
};

TEST_F(Import, MakesADatasetOfTwoTables) {
  const RawDataset raw = import_tables(options_);
  EXPECT_EQ(raw.name, "nodes");
  EXPECT_EQ(raw.num_nodes, 6);
  EXPECT_EQ(raw.node_names[2], "carl");
  EXPECT_EQ(raw.class_names, (std::vector<std::string>{"no", "yes"}));
  EXPECT_TRUE(raw.labels.equal(ints({1, 0, -1, 0, 1, 0})));
  EXPECT_TRUE(raw.edges_are_undirected);
  EXPECT_TRUE(any_contains(raw.provenance.notes, "--directed says otherwise"));
  EXPECT_TRUE(any_contains(raw.provenance.notes, "not used: calls"));
  EXPECT_EQ(raw.feature_names.front(), "age");
  // age and its flag, two plans, a date of three and its flag.
  EXPECT_EQ(raw.features.num_features(), 8);
  EXPECT_EQ(resolve_treatment({}, raw).features, Treatment::Features::raw);
}

TEST_F(Import, SurvivesNpzAndCsv) {
  const RawDataset raw = import_tables(options_);
  write_npz_dataset(folder_ / "g.npz", raw);
  write_csv_dataset(folder_ / "g", raw);
  const std::string fingerprint = content_fingerprint(raw);
  for (const RawDataset& again :
       {load_npz_dataset(folder_ / "g.npz"), load_csv_dataset(folder_ / "g")}) {
    EXPECT_EQ(content_fingerprint(again), fingerprint);
    EXPECT_EQ(again.feature_names, raw.feature_names);
    EXPECT_EQ(again.class_names, raw.class_names);
    EXPECT_EQ(again.node_names, raw.node_names);
    ASSERT_EQ(again.columns.size(), raw.columns.size());
    EXPECT_TRUE(again.table != nullptr);
  }
}

TEST_F(Import, AnotherTableIsTreatedByTheColumnsOfTheFirst) {
  const RawDataset raw = import_tables(options_);
  write_text(folder_ / "nodes.csv",
             "plan,customer,joined,age,churn\n"
             "basic,gina,2020-05-01,31,no\nplus,hans,2020-05-01,99,yes\n");
  write_text(folder_ / "edges.csv", "from,to\ngina,hans\n");
  write_npz_dataset(folder_ / "h.npz", import_tables(options_));
  LoadOptions load;
  load.columns = raw.columns;
  const RawDataset other = load_npz_dataset(folder_ / "h.npz", load);
  EXPECT_EQ(other.feature_names, raw.feature_names);
  // gina is anna but for her name.
  EXPECT_TRUE(other.features.to_dense()[0].equal(raw.features.to_dense()[0]));
}

TEST_F(Import, BadTablesAreRefusedByFileAndLine) {
  write_text(folder_ / "edges.csv", "from,to\nanna,bert\nanna,nobody\n");
  EXPECT_TRUE(
      contains(error(), "edges.csv:3: 'nobody' is not among the nodes"));
  options_.edge_columns.unknown = UnknownEnds::skip;
  EXPECT_EQ(import_tables(options_).edges.size(1), 1);
  write_text(folder_ / "nodes.csv", "customer,x,churn\na,1,y\nb,2,n\na,3,y\n");
  EXPECT_TRUE(contains(error(),
                       "nodes.csv:4: node 'a' was already given in "
                       "line 2"));
  write_text(folder_ / "nodes.csv", "customer,x,churn\na,1,y\n,2,n\n");
  EXPECT_TRUE(contains(error(), "nodes.csv:3: the id of this node is empty"));
  write_text(folder_ / "nodes.csv", "customer,x,churn\na,1,y\nb,2,y\nc,3,\n");
  EXPECT_TRUE(contains(error(), "all labelled nodes have the label 'y'"));
  write_text(folder_ / "nodes.csv", "customer,x,churn\n");
  EXPECT_TRUE(contains(error(), "no rows after the header"));
  options_.label = "chrun";
  EXPECT_TRUE(contains(error(), "did you mean 'churn'"));
}

TEST_F(Import, ATableWithoutFeaturesIsRefused) {
  write_text(folder_ / "nodes.csv", "customer,name,churn\na,x,y\nb,z,n\n");
  write_text(folder_ / "edges.csv", "from,to\na,b\n");
  EXPECT_TRUE(contains(error(), "no column of the table makes a feature"));
}

TEST_F(Import, DirectionIsDecidedAndSaid) {
  write_text(folder_ / "edges.csv",
             "from,to\nanna,bert\nbert,anna\ncarl,dora\n");
  const RawDataset both = import_tables(options_);
  EXPECT_FALSE(both.edges_are_undirected);
  EXPECT_TRUE(any_contains(both.provenance.notes, "66.7 % of the edges"));
  options_.undirected = true;
  EXPECT_TRUE(import_tables(options_).edges_are_undirected);
  options_.undirected.reset();
  write_text(folder_ / "edges.csv", "from,to\n");
  EXPECT_TRUE(any_contains(import_tables(options_).provenance.notes,
                           "there is none between two nodes"));
}

TEST_F(Import, ReadsListsOfEdges) {
  options_.edges = folder_ / "list.txt";
  write_text(folder_ / "list.txt",
             "# Nodes: 4 Edges: 3\n# From\tTo\nanna\tbert\nbert\tcarl\n");
  EXPECT_EQ(import_tables(options_).edges.size(1), 2);
  write_text(folder_ / "list.txt", "anna bert {'weight': 2.5}\nbert carl {}\n");
  EXPECT_EQ(import_tables(options_).edges.size(1), 2);
  EXPECT_TRUE(any_contains(import_tables(options_).provenance.notes,
                           "list of edges without a header"));
  write_text(folder_ / "list.txt", "anna,bert\nbert,carl\n");
  EXPECT_EQ(import_tables(options_).edges.size(1), 2);
  write_text(folder_ / "list.txt", "# x\nanna\n");
  EXPECT_TRUE(contains(error(), "list.txt:2: expected two nodes"));
}

constexpr const char* kGraphml = R"(<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="d0" for="node" attr.name="age" attr.type="int"><default>40</default></key>
 <key id="d1" for="node" attr.name="kind" attr.type="string"/>
 <key id="d2" for="edge" attr.name="w" attr.type="double"/>
 <graph edgedefault="undirected">
  <node id="a"><data key="d0">31</data><data key="d1">x &amp; "y"</data></node>
  <node id="b"><data key="d1">z</data></node>
  <!-- a comment -->
  <node id="c"/>
  <edge source="a" target="b"><data key="d2">2.5</data></edge>
  <edge source="b" target="c"/>
 </graph>
</graphml>
)";

TEST_F(Import, ReadsGraphml) {
  options_ = {};
  options_.nodes = folder_ / "g.graphml";
  options_.label = "kind";
  write_text(folder_ / "g.graphml", kGraphml);
  const RawDataset raw = import_tables(options_);
  EXPECT_EQ(raw.node_names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(raw.class_names, (std::vector<std::string>{"x & \"y\"", "z"}));
  EXPECT_TRUE(raw.labels.equal(ints({0, 1, -1})));
  EXPECT_EQ(raw.edges.size(1), 2);
  EXPECT_TRUE(raw.edges_are_undirected);
  EXPECT_EQ(raw.feature_names, (std::vector<std::string>{"age"}));
}

TEST_F(Import, DamagedGraphmlIsRefusedByLine) {
  options_ = {};
  options_.nodes = folder_ / "g.graphml";
  const auto error_for = [&](const std::string& from, const std::string& to) {
    std::string text = kGraphml;
    text.replace(text.find(from), from.size(), to);
    write_text(folder_ / "g.graphml", text);
    return error();
  };
  EXPECT_TRUE(
      contains(error_for("&amp;", "&evil;"), "unknown entity '&evil;'"));
  EXPECT_TRUE(contains(error_for("target=\"b\"", "target=\"q\""),
                       "g.graphml:11: 'q' is not among the nodes"));
  EXPECT_TRUE(contains(error_for("</graphml>", "<node id="), "g.graphml:"));
  EXPECT_TRUE(contains(error_for("key=\"d1\"", "key=\"dx\""), "not declared"));
  EXPECT_TRUE(contains(
      error_for("<?xml version=\"1.0\"?>", "<!DOCTYPE x [<!ENTITY e \"e\">]>"),
      "entities"));
  write_text(folder_ / "g.graphml", "<graphml></graphml>");
  EXPECT_TRUE(contains(error(), "no <graph> element"));
}

}  // namespace
}  // namespace ordered_gnn::data
