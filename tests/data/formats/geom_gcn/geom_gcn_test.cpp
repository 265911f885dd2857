#include "data/formats/geom_gcn/geom_gcn.h"

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

std::string header() { return "node_id\tfeature\tlabel\n"; }
std::string index_header() {
  return "node_id\tfeature(feature_amount:5)\tlabel\n";
}

// Message for a folder with these two files.
std::string load_error(const std::string& nodes,
                       const std::string& edges = kSmallEdges) {
  const TempDir folder;
  write_small_geom_gcn(folder.path(), nodes, edges);
  return error_of([&] { load_geom_gcn(folder.path()); });
}

RawDataset load_nodes(const std::string& nodes) {
  const TempDir folder;
  write_small_geom_gcn(folder.path(), nodes, "node_id\tnode_id\n");
  return load_geom_gcn(folder.path());
}

TEST(GeomGcn, ReadsAFolder) {
  const TempDir folder;
  write_small_geom_gcn(folder / "tiny");
  const RawDataset raw = load_geom_gcn(folder / "tiny");
  EXPECT_EQ(raw.name, "tiny");
  EXPECT_EQ(raw.num_nodes, 4);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(torch::equal(
      raw.edges, torch::tensor({{0, 1, 3, 2}, {1, 2, 0, 2}}, torch::kLong)));
  EXPECT_TRUE(torch::equal(raw.labels, ints({0, 1, 1, 0})));
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_EQ(raw.features.num_features(), 8);
  const at::Tensor dense = raw.features.to_dense();
  EXPECT_EQ(dense.sum().item<float>(), 4);
  EXPECT_EQ(dense[1][7].item<float>(), 1);
  EXPECT_EQ(dense[3][5].item<float>(), 1);
  EXPECT_EQ(raw.provenance.format, "geom-gcn");
  EXPECT_EQ(raw.provenance.files.size(), 2u);
}

TEST(GeomGcn, ReadsGzippedFilesAndDosLineEnds) {
  const TempDir folder;
  write_small_geom_gcn(folder / "plain");
  std::filesystem::create_directories(folder / "packed");
  std::string dos;
  for (const char c : std::string(kSmallNodes)) {
    dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  write_gzip(folder / "packed" / (std::string(kNodeFile) + ".gz"), dos);
  write_gzip(folder / "packed" / (std::string(kEdgeFile) + ".gz"), kSmallEdges);
  const RawDataset plain = load_geom_gcn(folder / "plain");
  const RawDataset packed = load_geom_gcn(folder / "packed");
  EXPECT_TRUE(torch::equal(plain.edges, packed.edges));
  EXPECT_TRUE(torch::equal(plain.labels, packed.labels));
  EXPECT_TRUE(
      torch::equal(plain.features.to_dense(), packed.features.to_dense()));
}

TEST(GeomGcn, PutsNodesInIdOrderWhateverTheirOrderInTheFile) {
  const RawDataset raw = load_nodes(header() +
                                    "2\t0,0,0,0,1\t4\n"
                                    "0\t1,0,0,0,0\t-1\n"
                                    "1\t0,0,0,0,0\t1\n");
  EXPECT_TRUE(torch::equal(raw.labels, ints({-1, 1, 4})));
  EXPECT_EQ(raw.num_classes, 5);
  const at::Tensor dense = raw.features.to_dense();
  EXPECT_EQ(dense[0][0].item<float>(), 1);
  EXPECT_EQ(dense[2][4].item<float>(), 1);
}

TEST(GeomGcn, ReadsIndexListsWithRepeatsEmptyRowsAndALowHeaderCount) {
  const RawDataset raw = load_nodes(index_header() +
                                    "1\t5,0,5\t1\n"
                                    "0\t\t0\n"
                                    "2\t3\t0\n"
                                    "3\t1\t0\n");
  EXPECT_EQ(raw.features.num_features(), 6);
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  const at::Tensor dense = raw.features.to_dense();
  EXPECT_EQ(dense.sum().item<float>(), 4);
  EXPECT_EQ(dense[1][5].item<float>(), 1);
  EXPECT_EQ(dense[1][0].item<float>(), 1);
  EXPECT_EQ(dense[2][3].item<float>(), 1);
  ASSERT_EQ(raw.provenance.notes.size(), 3u);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "1 nodes repeat"));
  EXPECT_TRUE(contains(raw.provenance.notes[1], "announces 5"));
}

TEST(GeomGcn, IndexListsKeepTheHeaderWidthWhenTheIndicesNeedLess) {
  const RawDataset raw = load_nodes(index_header() + "0\t0\t0\n1\t1,0\t1\n");
  EXPECT_EQ(raw.features.num_features(), 5);
}

TEST(GeomGcn, ReadsValuesWhenTheFirstRowIsAFullVectorOfBits) {
  const RawDataset raw =
      load_nodes(index_header() + "0\t0,1,0,0,1\t0\n1\t0,0,0,0,0\t1\n");
  EXPECT_EQ(raw.features.num_features(), 5);
  const at::Tensor want =
      torch::tensor({{0., 1., 0., 0., 1.}, {0., 0., 0., 0., 0.}});
  EXPECT_TRUE(torch::equal(raw.features.to_dense(), want.to(torch::kFloat)));
}

TEST(GeomGcn, KeepsRealValuesAndMakesFullMatricesDense) {
  const RawDataset raw = load_nodes(header() + "0\t0.5,-2\t0\n1\t1e-3,4\t1\n");
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::dense);
  const at::Tensor want = torch::tensor({{0.5f, -2.f}, {1e-3f, 4.f}});
  EXPECT_TRUE(torch::equal(raw.features.to_dense(), want));
}

TEST(GeomGcn, CountsEveryColumnAroundTheRunsOfZeros) {
  // Lengths around the four-at-a-time step, with a 1 in every position.
  for (int width = 1; width <= 19; ++width) {
    std::string nodes = header();
    for (int v = 0; v < width; ++v) {
      std::string row;
      for (int f = 0; f < width; ++f) {
        row += (f == 0 ? "" : ",") + std::string(f == v ? "1" : "0");
      }
      nodes += fmt::format("{}\t{}\t0\n", v, row);
    }
    const RawDataset raw = load_nodes(nodes);
    EXPECT_TRUE(torch::equal(raw.features.to_dense(), torch::eye(width)))
        << width;
  }
}

TEST(GeomGcn, SkipsBlankLinesAndAllowsAMissingLastNewline) {
  const RawDataset raw = load_nodes(header() + "0\t0,1\t0\n\n1\t0,0\t1");
  EXPECT_EQ(raw.num_nodes, 2);
}

TEST(GeomGcn, NamesTheLineOfARowWithTheWrongWidth) {
  const std::string message = load_error(header() + "0\t0,1,0\t0\n1\t0,1\t1\n");
  EXPECT_TRUE(contains(message, std::string(kNodeFile) + ":3:"));
  EXPECT_TRUE(contains(message,
                       "expected 3 feature values as in line 2, got "
                       "2"));
  EXPECT_TRUE(
      contains(load_error(header() + "0\t0,1\t0\n1\t0,0,0\t1\n"), "got 3"));
}

// Any of the values in the second of two nodes is refused with its line.
void expect_line_is_named(const std::string& before,
                          const std::vector<std::string>& values,
                          const std::string& after) {
  for (const std::string& value : values) {
    const std::string message =
        load_error(header() + "0\t0,1\t0\n" + before + value + after + "\n");
    EXPECT_TRUE(contains(message, std::string(kNodeFile) + ":3:")) << value;
  }
}

TEST(GeomGcn, RefusesFeaturesThatAreNotFiniteNumbers) {
  expect_line_is_named("1\t0,",
                       {"nan", "inf", "-inf", "1e999", "1e39", "x", ""}, "\t1");
}

TEST(GeomGcn, RefusesNodeIdsThatAreNotWholeNumbersFromZero) {
  expect_line_is_named("", {"-1", "1.5", "one", "", " 1"}, "\t0,1\t1");
}

TEST(GeomGcn, RefusesLabelsThatAreNoClass) {
  expect_line_is_named("1\t0,1\t", {"a", "1.0", "", "-2", "99999999999"}, "");
}

TEST(GeomGcn, NamesADuplicateAndAMissingNode) {
  const std::string twice =
      load_error(header() + "0\t0,1\t0\n1\t0,1\t0\n0\t1,0\t1\n");
  EXPECT_TRUE(contains(twice, std::string(kNodeFile) + ":4:"));
  EXPECT_TRUE(contains(twice, "node 0 was already given in line 2"));
  const std::string gap = load_error(header() + "0\t0,1\t0\n2\t0,1\t0\n");
  EXPECT_TRUE(contains(gap, "found node 2 but no line for node 1"));
}

TEST(GeomGcn, RefusesALineWithoutThreeColumns) {
  EXPECT_TRUE(contains(load_error(header() + "0\t0,1\n"), "three"));
  EXPECT_TRUE(contains(load_error(header() + "0 0,1 0\n"), "three"));
  EXPECT_TRUE(contains(load_error(header() + "0\t0\t1\t1\n"), "three"));
}

TEST(GeomGcn, RefusesFeatureIndicesThatCannotBe) {
  for (const char* list : {"-1", "1,,2", "x", "999999999999"}) {
    const std::string message =
        load_error(index_header() + "0\t" + list + "\t0\n");
    EXPECT_TRUE(contains(message, std::string(kNodeFile) + ":2:")) << list;
  }
}

TEST(GeomGcn, RefusesAnAnnouncedWidthThatIsNoSize) {
  EXPECT_TRUE(contains(
      load_error("node_id\tfeature(feature_amount:)\tlabel\n0\t1\t0\n"),
      ":1:"));
  EXPECT_TRUE(contains(load_error("node_id\tfeature(feature_amount:"
                                  "99999999999)\tlabel\n0\t1\t0\n"),
                       "at most"));
}

TEST(GeomGcn, NamesTheLineOfAnEdgeToANodeThatDoesNotExist) {
  const std::string start = "node_id\tnode_id\n0\t1\n";
  for (const char* edge :
       {"0\t4", "4\t0", "-1\t0", "0\t1.5", "0\tx", "0", "", "0\t1\t2"}) {
    const std::string message =
        load_error(kSmallNodes, start + edge + "\n0\t9\n");
    const int line = edge[0] == '\0' ? 4 : 3;  // a blank line is skipped
    EXPECT_TRUE(contains(message, fmt::format("{}:{}:", kEdgeFile, line)))
        << edge;
  }
  EXPECT_TRUE(contains(load_error(kSmallNodes, start + "0\t4\n"),
                       "expected a node id in [0, 4), got 4"));
}

TEST(GeomGcn, RefusesFilesWithoutHeaderOrContent) {
  EXPECT_TRUE(contains(load_error("0\t0,1\t0\n"), "header line"));
  EXPECT_TRUE(contains(load_error(kSmallNodes, "0\t1\n"), "header line"));
  EXPECT_TRUE(contains(load_error(""), "the file is empty"));
  EXPECT_TRUE(contains(load_error(header()), "no nodes"));
  EXPECT_TRUE(contains(load_error(kSmallNodes, ""), "the file is empty"));
}

TEST(GeomGcn, SaysWhichFileTheFolderLacks) {
  const TempDir folder;
  write_text(folder / kEdgeFile, kSmallEdges);
  const std::string message = error_of([&] { load_geom_gcn(folder.path()); });
  EXPECT_TRUE(contains(message, folder.path().string()));
  EXPECT_TRUE(contains(message, "out1_node_feature_label.txt"));
  EXPECT_TRUE(is_geom_gcn_folder(folder.path()));
  EXPECT_FALSE(is_geom_gcn_folder(folder / "elsewhere"));
}

TEST(GeomGcn, RefusesATruncatedGzipFile) {
  const TempDir folder;
  write_text(folder / kEdgeFile, kSmallEdges);
  const auto packed = folder / (std::string(kNodeFile) + ".gz");
  write_gzip(packed, kSmallNodes);
  truncate_file(packed, std::filesystem::file_size(packed) - 12);
  EXPECT_TRUE(contains(error_of([&] { load_geom_gcn(folder.path()); }),
                       packed.string()));
}

TEST(GeomGcn, RefusesAFolderInPlaceOfAFile) {
  const TempDir folder;
  write_text(folder / kEdgeFile, kSmallEdges);
  std::filesystem::create_directories(folder / kNodeFile);
  EXPECT_TRUE(
      contains(error_of([&] { load_geom_gcn(folder.path()); }), kNodeFile));
}

TEST(GeomGcn, FindsSplitsBesideTheDataAndInThePublishersTree) {
  const TempDir root;
  const auto folder = root / "new_data" / "tiny";
  write_small_geom_gcn(folder);
  EXPECT_TRUE(load_geom_gcn(folder).splits.empty());
  std::filesystem::create_directories(root / "splits");
  write_split(root / "splits" / geom_gcn_split_name("tiny", 0), small_masks());
  EXPECT_EQ(load_geom_gcn(folder).splits.size(), 1u);
  write_split(folder / geom_gcn_split_name("tiny", 0), small_masks());
  write_split(folder / geom_gcn_split_name("tiny", 1), small_masks());
  const RawDataset raw = load_geom_gcn(folder);
  EXPECT_EQ(raw.splits.size(), 2u);
  EXPECT_EQ(raw.split_set, "geom-gcn");
  EXPECT_EQ(raw.provenance.files.size(), 4u);
  LoadOptions none;
  none.split_set = "none";
  EXPECT_TRUE(load_geom_gcn(folder, none).splits.empty());
}

TEST(GeomGcn, MissingSplitsAreANoteUnlessAskedFor) {
  const TempDir folder;
  write_small_geom_gcn(folder.path());
  const RawDataset raw = load_geom_gcn(folder.path());
  ASSERT_EQ(raw.provenance.notes.size(), 1u);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "_split_0.6_0.2_0.npz"));
  LoadOptions asked;
  asked.split_set = "geom-gcn";
  EXPECT_TRUE(contains(error_of([&] { load_geom_gcn(folder.path(), asked); }),
                       "no split files"));
}

}  // namespace
}  // namespace ordered_gnn::data
