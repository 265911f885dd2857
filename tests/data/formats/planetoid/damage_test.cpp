#include <iterator>
#include <random>

#include "data/formats/planetoid/planetoid_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// Message for the small folder with one file replaced.
std::string planetoid_error(const std::string& part,
                            const std::string& content) {
  const TempDir folder;
  PlanetoidParts files = small_planetoid();
  files[part] = content;
  write_planetoid_parts(folder.path(), files);
  return error_of([&] { load_planetoid(folder.path()); });
}

TEST(Planetoid, NamesEveryMissingFile) {
  for (const auto& [part, content] : small_planetoid()) {
    const TempDir folder;
    PlanetoidParts files = small_planetoid();
    files.erase(part);
    write_planetoid_parts(folder.path(), files);
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
  EXPECT_TRUE(contains(planetoid_error("ally", labels_file({1, 0})),
                       "ind.tiny.ally: has 2 rows but ind.tiny.allx has 3"));
  EXPECT_TRUE(contains(planetoid_error("ty", labels_file({0, 1}, 3)),
                       "ind.tiny.ty: has 3 classes but ind.tiny.ally has 2"));
  EXPECT_TRUE(contains(planetoid_error("y", labels_file({1}, 3)), "3 classes"));
  EXPECT_TRUE(contains(planetoid_error("tx", features_file({{1}, {1}})),
                       "ind.tiny.tx: has 1 features but ind.tiny.allx has 4"));
  EXPECT_TRUE(contains(planetoid_error("x", features_file({{1, 0}})),
                       "ind.tiny.x: has 2 features"));
  EXPECT_TRUE(contains(planetoid_error("test.index", "3\n4\n5\n"),
                       "has 3 node ids but ind.tiny.tx has 2 rows"));
}

TEST(Planetoid, RefusesRowsThatXAndYDoNotRepeat) {
  EXPECT_TRUE(
      contains(planetoid_error("x", features_file({{1, 0, 0, .25}})),
               "ind.tiny.x: row 0 differs from row 0 of ind.tiny.allx"));
  EXPECT_TRUE(contains(planetoid_error("x", features_file({{1, 0, .5, 0}})),
                       "row 0 differs"));
  EXPECT_TRUE(contains(planetoid_error("x", features_file({{1, 0, 0, 0}})),
                       "row 0 differs"));
  EXPECT_TRUE(contains(planetoid_error("y", labels_file({0})),
                       "ind.tiny.y: row 0 has class 0 but class 1"));
  const TempDir folder;
  PlanetoidParts files = small_planetoid();
  files["x"] = pickled::file(pickled::csr(torch::zeros({4, 4})));
  files["y"] = labels_file({1, 0, 1, 1});
  write_planetoid_parts(folder.path(), files);
  EXPECT_TRUE(contains(error_of([&] { load_planetoid(folder.path()); }),
                       "has 4 rows, more than the 3"));
}

TEST(Planetoid, RefusesLabelsThatAreNotOneHot) {
  EXPECT_TRUE(contains(
      planetoid_error("ally", pickled::file(pickled::array(torch::tensor(
                                  {{1, 0}, {1, 1}, {0, 1}}, torch::kInt)))),
      "ind.tiny.ally: row 1 is no one-hot label"));
  EXPECT_TRUE(contains(
      planetoid_error("ally", pickled::file(pickled::array(torch::tensor(
                                  {{1, 0}, {1, 0}, {0, 2}}, torch::kInt)))),
      "row 2"));
  EXPECT_TRUE(contains(
      planetoid_error(
          "ally", pickled::file(pickled::array(torch::ones({3}, torch::kInt)))),
      "expected one-hot labels of shape"));
}

TEST(Planetoid, NamesTheLineOfABadTestIndex) {
  const std::pair<const char*, const char*> cases[] = {
      {"5\n2\n",
       "ind.tiny.test.index:2: expected a node id of at least 3, the rows of "
       "allx, got 2"},
      {"5\n5\n", ":2: node 5 was given in an earlier line"},
      {"5\nx\n", ":2:"},
      {"-1\n5\n", ":1:"},
      {"5\n99999999999999999999\n", ":2:"},
      {"", "has 0 node ids"}};
  for (const auto& [ids, message] : cases) {
    EXPECT_TRUE(contains(planetoid_error("test.index", ids), message)) << ids;
  }
}

TEST(Planetoid, RefusesIdsThatNoFileAccountsFor) {
  EXPECT_TRUE(
      contains(planetoid_error("test.index", "5\n9000000000000000000\n"),
               "node 9000000000000000000 is named, but"));
  const auto graph = [](int64_t node, int64_t neighbour) {
    return pickled::file(pickled::graph({{node, {neighbour}}}));
  };
  EXPECT_TRUE(contains(planetoid_error("graph", graph(0, 2000000000)),
                       "node 2000000000 is named, but features and neighbour "
                       "lists are there for at most 6 nodes"));
  EXPECT_TRUE(contains(planetoid_error("graph", graph(0, 1)),
                       "node 4 of 6 has neither features nor a neighbour "
                       "list"));
  EXPECT_TRUE(contains(planetoid_error("graph", graph(4, -1)),
                       "ind.tiny.graph: -1 cannot be a node id"));
  EXPECT_TRUE(contains(planetoid_error("graph", graph(-4, 1)), "-4 cannot be"));
}

TEST(Planetoid, RefusesAGraphThatIsNoDictOfLists) {
  EXPECT_TRUE(contains(planetoid_error("graph", pickled::file(pickled::none())),
                       "expected a dict of neighbour lists, found None"));
  EXPECT_TRUE(contains(
      planetoid_error("graph", pickled::file(pickled::dict(
                                   {{pickled::integer(0), pickled::none()}}))),
      "hold a list where it holds None"));
  EXPECT_TRUE(contains(
      planetoid_error("graph",
                      pickled::file(pickled::dict(
                          {{pickled::text("0"), pickled::integers({})}}))),
      "hold an integer where it holds a string"));
  EXPECT_TRUE(
      contains(planetoid_error("graph", pickled::file(pickled::graph(
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
    const std::string message = planetoid_error(part, attack);
    EXPECT_TRUE(contains(message, fmt::format("ind.tiny.{}: ", part)));
    EXPECT_TRUE(contains(message, "'os system'"));
    EXPECT_TRUE(contains(message, "not executed"));
  }
  EXPECT_FALSE(fs::exists(trace));
}

TEST(PlanetoidDamage, ATruncationAtAnyByteOfAnyPickleIsRefused) {
  const TempDir folder;
  const PlanetoidParts files = small_planetoid();
  write_planetoid_parts(folder.path(), files);
  for (const auto& [part, content] : files) {
    if (part == "test.index") continue;
    const fs::path path = folder / ("ind.tiny." + part);
    for (size_t size = 0; size < content.size(); ++size) {
      write_text(path, content.substr(0, size));
      EXPECT_TRUE(contains(error_of([&] { load_planetoid(folder.path()); }),
                           path.string()))
          << part << " cut to " << size;
    }
    write_text(path, content);
  }
}

TEST(PlanetoidDamage, RandomFlipsGiveAnErrorOrAValidDataset) {
  const TempDir folder;
  const PlanetoidParts files = small_planetoid();
  write_planetoid_parts(folder.path(), files);
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 1600; ++round) {
    const auto file = std::next(files.begin(), round % 8);
    std::string damaged = file->second;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    const fs::path path = folder / ("ind.tiny." + file->first);
    write_text(path, damaged);
    try {
      const RawDataset raw = load_planetoid(folder.path());
      EXPECT_LE(raw.num_nodes, 11);  // rows and neighbour lists bound it
    } catch (const Error&) {
      ++refused;
    }
    write_text(path, file->second);
  }
  EXPECT_GT(refused, 400);
  EXPECT_LT(refused, 1600);
}

}  // namespace
}  // namespace ordered_gnn::data
