#include "ordered_gnn/data/planetoid.h"

#include <map>
#include <random>

#include "data/data_support.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/data/planetoid_splits.h"
#include "support/pickle_writer.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;  // part -> content

at::Tensor one_hot(const std::vector<int64_t>& classes, int64_t num_classes) {
  at::Tensor rows = torch::zeros(
      {static_cast<int64_t>(classes.size()), num_classes}, torch::kInt);
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] >= 0) rows[static_cast<int64_t>(i)][classes[i]] = 1;
  }
  return rows;
}

at::Tensor matrix(const std::vector<std::vector<float>>& rows) {
  at::Tensor result = torch::zeros({static_cast<int64_t>(rows.size()),
                                    static_cast<int64_t>(rows[0].size())});
  for (size_t i = 0; i < rows.size(); ++i) {
    result[static_cast<int64_t>(i)] = torch::tensor(rows[i]);
  }
  return result;
}

std::string labels_file(const std::vector<int64_t>& classes,
                        int64_t num_classes = 2) {
  return pickled::file(pickled::array(one_hot(classes, num_classes)));
}

std::string features_file(const std::vector<std::vector<float>>& rows) {
  return pickled::file(pickled::csr(matrix(rows)));
}

std::string small_graph() {
  return pickled::file(pickled::graph({{0, {1, 4}},
                                       {1, {0, 2, 2}},
                                       {2, {1, 1, 2}},
                                       {5, {4}},
                                       {4, {0, 5}},
                                       {3, {}}}));
}

// Six nodes, four features, two classes. Nodes 0 to 2 are in allx, node 0 in x;
// tx holds nodes 5 and 3; node 4 is in the graph only.
Files small_files() {
  return {{"x", features_file({{1, 0, 0, .5}})},
          {"y", labels_file({1})},
          {"allx", features_file({{1, 0, 0, .5}, {0, 0, 0, 0}, {0, 2, 0, 0}})},
          {"ally", labels_file({1, 0, 1})},
          {"tx", features_file({{0, 0, 3, 0}, {0, 0, 0, 4}})},
          {"ty", labels_file({0, 1})},
          {"graph", small_graph()},
          {"test.index", "5\n3\n"}};
}

void write_files(const fs::path& folder, const Files& files,
                 const std::string& name = "tiny") {
  for (const auto& [part, content] : files) {
    write_text(folder / fmt::format("ind.{}.{}", name, part), content);
  }
}

// Cutting a file and writing it anew waits for the disk on some systems.
void rewrite(const fs::path& path, const std::string& content) {
  fs::remove(path);
  write_text(path, content);
}

// Message for the small folder with one file replaced.
std::string error_with(const std::string& part, const std::string& content) {
  const TempDir folder;
  Files files = small_files();
  files[part] = content;
  write_files(folder.path(), files);
  return error_of([&] { load_planetoid(folder.path()); });
}

// Nodes 0 to 609 in allx, the first 10 in x, 610 to 613 in tx; node 614 is in
// the graph only.
Files files_with_public_splits() {
  const int64_t num_all = 610;
  const at::Tensor all = torch::eye(num_all, 3);
  std::vector<int64_t> classes(num_all);
  for (int64_t v = 0; v < num_all; ++v) classes[v] = v % 2;
  const std::vector<int64_t> first(classes.begin(), classes.begin() + 10);
  return {{"x", pickled::file(pickled::csr(all.narrow(0, 0, 10)))},
          {"y", labels_file(first)},
          {"allx", pickled::file(pickled::csr(all))},
          {"ally", labels_file(classes)},
          {"tx", pickled::file(pickled::csr(torch::eye(4, 3)))},
          {"ty", labels_file({0, 1, 0, 1})},
          {"graph", pickled::file(pickled::graph({{614, {0}}, {0, {614}}}))},
          {"test.index", "613\n610\n612\n611\n"}};
}

RawDataset load_split_set(const std::string& split_set) {
  const TempDir folder;
  write_files(folder.path(), files_with_public_splits());
  LoadOptions options;
  options.split_set = split_set;
  return load_planetoid(folder.path(), options);
}

TEST(Planetoid, AssemblesNodesFromAllxAndTheTestIndex) {
  const TempDir folder;
  write_files(folder.path(), small_files());
  const RawDataset raw = load_planetoid(folder.path());
  EXPECT_EQ(raw.name, "tiny");
  EXPECT_EQ(raw.num_nodes, 6);
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0, 1, 1, -1, 0})));
  EXPECT_EQ(raw.features.kind(), NodeFeatures::Kind::sparse);
  EXPECT_TRUE(torch::equal(raw.features.to_dense(), matrix({{1, 0, 0, .5},
                                                            {0, 0, 0, 0},
                                                            {0, 2, 0, 0},
                                                            {0, 0, 0, 4},
                                                            {0, 0, 0, 0},
                                                            {0, 0, 3, 0}})));
  EXPECT_EQ(raw.provenance.format, "planetoid");
  EXPECT_EQ(raw.provenance.files.size(), 8u);
}

TEST(Planetoid, KeepsEveryNeighbourEntryInFileOrder) {
  const TempDir folder;
  write_files(folder.path(), small_files());
  const RawDataset raw = load_planetoid(folder.path());
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(
      torch::equal(raw.edges, torch::tensor({{0, 0, 1, 1, 1, 2, 2, 2, 5, 4, 4},
                                             {1, 4, 0, 2, 2, 1, 1, 2, 4, 0, 5}},
                                            torch::kLong)));
}

TEST(Planetoid, NotesNodesThatAreInTheGraphOnly) {
  const TempDir folder;
  write_files(folder.path(), small_files());
  const RawDataset raw = load_planetoid(folder.path());
  ASSERT_EQ(raw.provenance.notes.size(), 2u);
  EXPECT_TRUE(
      contains(raw.provenance.notes[0], "1 nodes are in the graph only (4)"));
  EXPECT_TRUE(contains(raw.provenance.notes[0], "never trained on"));
  EXPECT_TRUE(contains(raw.provenance.notes[1], "no splits"));
}

TEST(Planetoid, NotesLabelRowsOfZerosAndListsThatAreNotSymmetric) {
  const TempDir folder;
  Files files = small_files();
  files["ty"] = labels_file({0, -1});
  files["graph"] = pickled::file(pickled::graph({{4, {0, 0}}, {0, {1}}}));
  write_files(folder.path(), files);
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
  write_files(root / "Tiny" / "raw", small_files());
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
  for (const auto& [part, content] : small_files()) {
    write_gzip(folder / fmt::format("ind.tiny.{}.gz", part), content);
  }
  EXPECT_TRUE(is_planetoid(folder.path()));
  EXPECT_EQ(load_planetoid(folder.path()).num_nodes, 6);
  EXPECT_EQ(load_planetoid(folder / "ind.tiny.x.gz").num_nodes, 6);
}

TEST(Planetoid, TheNamePicksOneOfSeveralDatasets) {
  const TempDir folder;
  write_files(folder.path(), small_files(), "a");
  write_files(folder.path(), files_with_public_splits(), "b.0.1");
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

TEST(Planetoid, NamesEveryMissingFile) {
  for (const auto& [part, content] : small_files()) {
    const TempDir folder;
    Files files = small_files();
    files.erase(part);
    write_files(folder.path(), files);
    const std::string message =
        error_of([&] { load_planetoid(folder.path()); });
    EXPECT_TRUE(contains(message, "dataset 'tiny' is incomplete"));
    EXPECT_TRUE(contains(message, (folder / ("ind.tiny." + part)).string()));
  }
  const TempDir folder;
  write_text(folder / "ind.tiny.x", "");
  const std::string message = error_of([&] { load_planetoid(folder.path()); });
  EXPECT_TRUE(contains(message, "ind.tiny.ally"));
  EXPECT_TRUE(contains(message, "ind.tiny.test.index"));
  const TempDir empty;
  EXPECT_TRUE(contains(error_of([&] { load_planetoid(empty.path()); }),
                       "no Planetoid files"));
}

TEST(Planetoid, RefusesPartsOfDifferentSizes) {
  EXPECT_TRUE(contains(error_with("ally", labels_file({1, 0})),
                       "ind.tiny.ally: has 2 rows but ind.tiny.allx has 3"));
  EXPECT_TRUE(contains(error_with("ty", labels_file({0, 1}, 3)),
                       "ind.tiny.ty: has 3 classes but ind.tiny.ally has 2"));
  EXPECT_TRUE(contains(error_with("y", labels_file({1}, 3)), "3 classes"));
  EXPECT_TRUE(contains(error_with("tx", features_file({{1}, {1}})),
                       "ind.tiny.tx: has 1 features but ind.tiny.allx has 4"));
  EXPECT_TRUE(contains(error_with("x", features_file({{1, 0}})),
                       "ind.tiny.x: has 2 features"));
  EXPECT_TRUE(contains(error_with("test.index", "3\n4\n5\n"),
                       "has 3 node ids but ind.tiny.tx has 2 rows"));
}

TEST(Planetoid, RefusesRowsThatXAndYDoNotRepeat) {
  EXPECT_TRUE(
      contains(error_with("x", features_file({{1, 0, 0, .25}})),
               "ind.tiny.x: row 0 differs from row 0 of ind.tiny.allx"));
  EXPECT_TRUE(contains(error_with("x", features_file({{1, 0, .5, 0}})),
                       "row 0 differs"));
  EXPECT_TRUE(contains(error_with("x", features_file({{1, 0, 0, 0}})),
                       "row 0 differs"));
  EXPECT_TRUE(contains(error_with("y", labels_file({0})),
                       "ind.tiny.y: row 0 has class 0 but class 1"));
  const TempDir folder;
  Files files = small_files();
  files["x"] = pickled::file(pickled::csr(torch::zeros({4, 4})));
  files["y"] = labels_file({1, 0, 1, 1});
  write_files(folder.path(), files);
  EXPECT_TRUE(contains(error_of([&] { load_planetoid(folder.path()); }),
                       "has 4 rows, more than the 3"));
}

TEST(Planetoid, RefusesLabelsThatAreNotOneHot) {
  EXPECT_TRUE(
      contains(error_with("ally", pickled::file(pickled::array(torch::tensor(
                                      {{1, 0}, {1, 1}, {0, 1}}, torch::kInt)))),
               "ind.tiny.ally: row 1 is no one-hot label"));
  EXPECT_TRUE(
      contains(error_with("ally", pickled::file(pickled::array(torch::tensor(
                                      {{1, 0}, {1, 0}, {0, 2}}, torch::kInt)))),
               "row 2"));
  EXPECT_TRUE(contains(error_with("ally", pickled::file(pickled::array(
                                              torch::ones({3}, torch::kInt)))),
                       "expected one-hot labels of shape"));
}

TEST(Planetoid, NamesTheLineOfABadTestIndex) {
  EXPECT_TRUE(contains(error_with("test.index", "5\n2\n"),
                       "ind.tiny.test.index:2: expected a node id of at least "
                       "3, the rows of allx, got 2"));
  EXPECT_TRUE(contains(error_with("test.index", "5\n5\n"),
                       ":2: node 5 was given in an earlier line"));
  EXPECT_TRUE(contains(error_with("test.index", "5\nx\n"), ":2:"));
  EXPECT_TRUE(contains(error_with("test.index", "-1\n5\n"), ":1:"));
  EXPECT_TRUE(
      contains(error_with("test.index", "5\n99999999999999999999\n"), ":2:"));
  EXPECT_TRUE(contains(error_with("test.index", ""), "has 0 node ids"));
}

TEST(Planetoid, RefusesIdsThatNoFileAccountsFor) {
  EXPECT_TRUE(contains(error_with("test.index", "5\n9000000000000000000\n"),
                       "node 9000000000000000000 is named, but"));
  const auto graph = [](int64_t node, int64_t neighbour) {
    return pickled::file(pickled::graph({{node, {neighbour}}}));
  };
  EXPECT_TRUE(contains(error_with("graph", graph(0, 2000000000)),
                       "node 2000000000 is named, but features and neighbour "
                       "lists are there for at most 6 nodes"));
  EXPECT_TRUE(contains(error_with("graph", graph(0, 1)),
                       "node 4 of 6 has neither features nor a neighbour "
                       "list"));
  EXPECT_TRUE(contains(error_with("graph", graph(4, -1)),
                       "ind.tiny.graph: -1 cannot be a node id"));
  EXPECT_TRUE(contains(error_with("graph", graph(-4, 1)), "-4 cannot be"));
}

TEST(Planetoid, RefusesAGraphThatIsNoDictOfLists) {
  EXPECT_TRUE(contains(error_with("graph", pickled::file(pickled::none())),
                       "expected a dict of neighbour lists, found None"));
  EXPECT_TRUE(contains(
      error_with("graph", pickled::file(pickled::dict(
                              {{pickled::integer(0), pickled::none()}}))),
      "hold a list where it holds None"));
  EXPECT_TRUE(contains(
      error_with("graph", pickled::file(pickled::dict(
                              {{pickled::text("0"), pickled::integers({})}}))),
      "hold an integer where it holds a string"));
  EXPECT_TRUE(contains(error_with("graph", pickled::file(pickled::graph(
                                               {{4, {0}}, {2, {}}, {4, {1}}}))),
                       "node 4 has two neighbour lists"));
}

TEST(Planetoid, NeverExecutesWhatAPickleNames) {
  const TempDir folder;
  const fs::path trace = folder / "trace";
  const std::string attack =
      pickled::file(pickled::call(pickled::global("os", "system"),
                                  {pickled::text("touch " + trace.string())}));
  for (const char* part : {"x", "ally", "graph"}) {
    const std::string message = error_with(part, attack);
    EXPECT_TRUE(contains(message, fmt::format("ind.tiny.{}: ", part)));
    EXPECT_TRUE(contains(message, "'os system'"));
    EXPECT_TRUE(contains(message, "not executed"));
  }
  EXPECT_FALSE(fs::exists(trace));
}

TEST(PlanetoidSplits, PublicTakesTheRowsOfXAndTheNext500) {
  const RawDataset raw = load_split_set(kPlanetoidPublic);
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_EQ(raw.split_set, "planetoid-public");
  EXPECT_TRUE(same_split(
      raw.splits[0],
      {torch::arange(0, 10), torch::arange(10, 510), torch::arange(610, 614)}));
}

TEST(PlanetoidSplits, FullTrainsOnAllThatIsLeft) {
  const RawDataset raw = load_split_set(kPlanetoidFull);
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_EQ(raw.split_set, "planetoid-full");
  const at::Tensor train =
      torch::cat({torch::arange(0, 10), torch::arange(510, 610), ints({614})});
  EXPECT_TRUE(same_split(
      raw.splits[0], {train, torch::arange(10, 510), torch::arange(610, 614)}));
  EXPECT_TRUE(contains(raw.provenance.notes.back(), "1 unlabelled"));
}

TEST(PlanetoidSplits, DropedgeValidatesOnTheLastRows) {
  const RawDataset raw = load_split_set(kDropedgeFull);
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_EQ(raw.split_set, "dropedge-full");
  EXPECT_TRUE(
      same_split(raw.splits[0], {torch::arange(0, 110), torch::arange(110, 610),
                                 torch::arange(610, 614)}));
}

TEST(PlanetoidSplits, AutoPrefersTheFilesOfGeomGcn) {
  EXPECT_EQ(load_split_set("auto").split_set, "planetoid-public");
  EXPECT_TRUE(load_split_set("none").splits.empty());
  const TempDir root;
  write_files(root / "planetoid", small_files());
  EXPECT_TRUE(load_planetoid(root / "planetoid").splits.empty());
  const auto mask = [](int64_t node) {
    return torch::arange(6).eq(node).to(torch::kByte);
  };
  fs::create_directories(root / "geom-gcn" / "splits");
  write_split(root / "geom-gcn" / "splits" / geom_gcn_split_name("tiny", 0),
              {mask(0), mask(4), mask(2)});
  const RawDataset raw = load_planetoid(root / "planetoid");
  EXPECT_EQ(raw.split_set, "geom-gcn");
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_TRUE(same_split(raw.splits[0], {ints({0}), ints({4}), ints({2})}));
}

TEST(PlanetoidSplits, GeomGcnFilesComeFromTheGivenFolderFirst) {
  const TempDir root;
  write_files(root / "data", small_files());
  const auto mask = [](int64_t node) {
    return torch::arange(6).eq(node).to(torch::kByte);
  };
  fs::create_directories(root / "mine");
  write_split(root / "mine" / geom_gcn_split_name("other", 0),
              {mask(1), mask(2), mask(3)});
  LoadOptions options;
  options.split_set = "geom-gcn";
  EXPECT_TRUE(
      contains(error_of([&] { load_planetoid(root / "data", options); }),
               "tiny_split_0.6_0.2_0.npz"));
  options.split_folders = {root / "mine"};
  options.split_prefix = "other";
  const RawDataset raw = load_planetoid(root / "data", options);
  EXPECT_TRUE(same_split(raw.splits.at(0), {ints({1}), ints({2}), ints({3})}));
}

TEST(PlanetoidSplits, SayWhenThereAreTooFewRows) {
  const TempDir folder;
  write_files(folder.path(), small_files());
  for (const char* name : {kPlanetoidPublic, kPlanetoidFull, kDropedgeFull}) {
    LoadOptions options;
    options.split_set = name;
    const std::string message =
        error_of([&] { load_planetoid(folder.path(), options); });
    EXPECT_TRUE(contains(message, name));
    EXPECT_TRUE(contains(message, "500 validation nodes from the 3 rows"));
    EXPECT_TRUE(contains(message, "random:48/32/20"));
  }
}

TEST(PlanetoidSplits, NeedExactly500RowsAfterTraining) {
  PlanetoidRows rows;
  rows.num_nodes = 520;
  rows.num_train = 10;
  rows.num_labelled = 510;
  rows.test_of_line = {515, 512};
  EXPECT_EQ(planetoid_split(kPlanetoidPublic, rows, "d").val.size(0), 500);
  rows.num_labelled = 509;
  EXPECT_TRUE(contains(
      error_of([&] { planetoid_split(kPlanetoidPublic, rows, "d"); }), "d: "));
  rows.num_labelled = 501;
  EXPECT_EQ(planetoid_split(kDropedgeFull, rows, "d").train.size(0), 1);
  rows.num_labelled = 500;
  EXPECT_TRUE(contains(
      error_of([&] { planetoid_split(kDropedgeFull, rows, "d"); }), "too few"));
}

TEST(PlanetoidDamage, ATruncationAtAnyByteOfAnyPickleIsRefused) {
  const TempDir folder;
  const Files files = small_files();
  write_files(folder.path(), files);
  for (const auto& [part, content] : files) {
    if (part == "test.index") continue;
    const fs::path path = folder / ("ind.tiny." + part);
    for (size_t size = 0; size < content.size(); ++size) {
      rewrite(path, content.substr(0, size));
      EXPECT_TRUE(contains(error_of([&] { load_planetoid(folder.path()); }),
                           path.string()))
          << part << " cut to " << size;
    }
    rewrite(path, content);
  }
}

TEST(PlanetoidDamage, RandomFlipsGiveAnErrorOrAValidDataset) {
  const TempDir folder;
  const Files files = small_files();
  write_files(folder.path(), files);
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 1600; ++round) {
    const auto file = std::next(files.begin(), round % 8);
    std::string damaged = file->second;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    const fs::path path = folder / ("ind.tiny." + file->first);
    rewrite(path, damaged);
    try {
      const RawDataset raw = load_planetoid(folder.path());
      EXPECT_LE(raw.num_nodes, 11);  // rows and neighbour lists bound it
    } catch (const Error&) {
      ++refused;
    }
    rewrite(path, file->second);
  }
  EXPECT_GT(refused, 400);
  EXPECT_LT(refused, 1600);
}

}  // namespace
}  // namespace ordered_gnn
