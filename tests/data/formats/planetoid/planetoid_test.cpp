#include "data/formats/planetoid/planetoid.h"

#include "data/formats/planetoid/files.h"
#include "data/formats/planetoid/planetoid_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

TEST(Planetoid, AssemblesNodesFromAllxAndTheTestIndex) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), small_planetoid());
  const RawDataset raw = load_planetoid(folder.path());
  EXPECT_EQ(raw.name, "tiny");
  EXPECT_EQ(raw.num_nodes, 6);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0, 1, 1, -1, 0})));
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_TRUE(
      torch::equal(raw.features.to_dense(), float_rows({{1, 0, 0, .5},
                                                        {0, 0, 0, 0},
                                                        {0, 2, 0, 0},
                                                        {0, 0, 0, 4},
                                                        {0, 0, 0, 0},
                                                        {0, 0, 3, 0}})));
  EXPECT_EQ(raw.provenance.format, "planetoid");
  EXPECT_EQ(raw.provenance.files.size(), 8u);
}

TEST(Planetoid, PassesOverNamesThatOnlyResembleItsFiles) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), small_planetoid());
  for (const char* name : {"ind.gz", "ind.", "ind", ".gz", "ind..x", "ind.x",
                           "ind.gz.gz", "x.ind.other.x", "ind.other.xx"}) {
    write_text(folder / name, "");
  }
  const std::vector<PlanetoidFiles> found = list_planetoid(folder.path());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "tiny");
  EXPECT_EQ(load_planetoid(folder.path()).num_nodes, 6);
}

TEST(Planetoid, KeepsEveryNeighbourEntryInFileOrder) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), small_planetoid());
  const RawDataset raw = load_planetoid(folder.path());
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(
      torch::equal(raw.edges, torch::tensor({{0, 0, 1, 1, 1, 2, 2, 2, 5, 4, 4},
                                             {1, 4, 0, 2, 2, 1, 1, 2, 4, 0, 5}},
                                            torch::kLong)));
}

TEST(Planetoid, NotesNodesThatAreInTheGraphOnly) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), small_planetoid());
  const RawDataset raw = load_planetoid(folder.path());
  ASSERT_EQ(raw.provenance.notes.size(), 2u);
  EXPECT_TRUE(
      contains(raw.provenance.notes[0], "1 nodes are in the graph only (4)"));
  EXPECT_TRUE(contains(raw.provenance.notes[0], "never trained on"));
  EXPECT_TRUE(contains(raw.provenance.notes[1], "no splits"));
}

TEST(Planetoid, NotesLabelRowsOfZerosAndListsThatAreNotSymmetric) {
  const TempDir folder;
  PlanetoidParts files = small_planetoid();
  files["ty"] = labels_file({0, -1});
  files["graph"] = pickled::file(pickled::graph({{4, {0, 0}}, {0, {1}}}));
  write_planetoid_parts(folder.path(), files);
  const RawDataset raw = load_planetoid(folder.path());
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0, 1, -1, -1, 0})));
  ASSERT_EQ(raw.provenance.notes.size(), 4u);
  EXPECT_TRUE(
      contains(raw.provenance.notes[1], "1 nodes have a label row of zeros"));
  EXPECT_TRUE(
      contains(raw.provenance.notes[2], "not symmetric: 2 distinct entries"));
}

TEST(Planetoid, FindsAFolderARawFolderAndASingleFile) {
  const TempDir root;
  write_planetoid_parts(root / "Tiny" / "raw", small_planetoid());
  for (const fs::path& path : {root / "Tiny", root / "Tiny" / "raw",
                               root / "Tiny" / "raw" / "ind.tiny.test.index"}) {
    EXPECT_TRUE(is_planetoid(path)) << path;
    EXPECT_EQ(load_planetoid(path).num_nodes, 6);
    EXPECT_EQ(load_path(path).provenance.format, "planetoid");
  }
  write_text(root / "other" / "ind.x", "");
  write_text(root / "other" / "xind.tiny.x", "");
  write_text(root / "other" / "ind.tiny.z", "");
  EXPECT_FALSE(is_planetoid(root / "other"));
  EXPECT_FALSE(is_planetoid(root / "other" / "ind.tiny.z"));
  EXPECT_FALSE(is_planetoid(root / "none"));
}

TEST(Planetoid, ReadsGzippedFiles) {
  const TempDir folder;
  for (const auto& [part, content] : small_planetoid()) {
    write_gzip(folder / fmt::format("ind.tiny.{}.gz", part), content);
  }
  EXPECT_TRUE(is_planetoid(folder.path()));
  EXPECT_EQ(load_planetoid(folder.path()).num_nodes, 6);
  EXPECT_EQ(load_planetoid(folder / "ind.tiny.x.gz").num_nodes, 6);
}

TEST(Planetoid, TheNamePicksOneOfSeveralDatasets) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), small_planetoid(), "a");
  write_planetoid_parts(folder.path(), files_with_public_splits(), "b.0.1");
  const std::string message = error_of([&] { load_planetoid(folder.path()); });
  EXPECT_TRUE(contains(message, "several datasets here: a, b.0.1"));
  EXPECT_TRUE(contains(message, (folder / "ind.a.x").string()));
  LoadOptions options;
  options.name = "B.0.1";
  const RawDataset raw = load_planetoid(folder.path(), options);
  EXPECT_EQ(raw.num_nodes, 615);
  EXPECT_EQ(raw.name, "B.0.1");
  EXPECT_EQ(load_planetoid(folder / "ind.a.graph").num_nodes, 6);
  options.name = "c";
  EXPECT_TRUE(
      contains(error_of([&] { load_planetoid(folder.path(), options); }),
               "no files ind.c.* here, only those of a, b.0.1"));
}

}  // namespace
}  // namespace ordered_gnn::data
