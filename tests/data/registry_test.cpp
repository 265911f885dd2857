#include "ordered_gnn/data/registry.h"

#include <set>

#include "core/io/file.h"
#include "data/data_support.h"
#include "data/fingerprint.h"
#include "ordered_gnn/data/loaders.h"
#include "support/dataset_samples.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// No root but the given one: tests must not find the machine's own data.
class Registry : public ::testing::Test {
 protected:
  TempDir root_;
  ScopedEnvironment data_{"OGNN_DATA", nullptr};
  ScopedEnvironment cache_{"XDG_CACHE_HOME", (root_ / "cache").c_str()};

  DataOptions options(const std::string& data) const {
    DataOptions options;
    options.data = data;
    options.data_root = root_.path().string();
    return options;
  }

  void add_splits(const fs::path& folder, const std::string& prefix,
                  int count = 1) const {
    fs::create_directories(folder);
    for (int k = 0; k < count; ++k) {
      write_split(folder / geom_gcn_split_name(prefix, k), small_masks());
    }
  }
};

TEST_F(Registry, EveryEntryIsCompleteAndNamesAKnownFormat) {
  std::set<std::string> names;
  for (const NamedDataset& named : named_datasets()) {
    EXPECT_TRUE(names.insert(named.name).second) << named.name;
    EXPECT_FALSE(named.summary.empty()) << named.name;
    EXPECT_FALSE(named.folders.empty()) << named.name;
    EXPECT_FALSE(named.files.empty()) << named.name;
    EXPECT_NO_THROW(find_loader(root_.path(), named.format)) << named.name;
    EXPECT_EQ(find_named_dataset(named.name), &named);
  }
  EXPECT_EQ(find_named_dataset("nothing"), nullptr);
}

TEST_F(Registry, NamesMayBeSpelledWithUnderscores) {
  EXPECT_EQ(find_named_dataset("chameleon_filtered"),
            find_named_dataset("chameleon-filtered"));
  EXPECT_EQ(find_named_dataset("cornell-fixed"),
            find_named_dataset("cornell_fixed"));
  ASSERT_NE(find_named_dataset("wiki_cs"), nullptr);
}

TEST_F(Registry, FindsADatasetInThePublishersTree) {
  write_small_geom_gcn(root_ / "geom-gcn/new_data/film");
  add_splits(root_ / "geom-gcn/splits", "film", 3);
  const RawDataset raw = resolve_dataset(options("actor"));
  EXPECT_EQ(raw.name, "actor");
  EXPECT_EQ(raw.splits.size(), 3u);
  EXPECT_EQ(raw.provenance.fingerprint, content_fingerprint(raw));
}

TEST_F(Registry, FindsDatasetsInOtherPeoplesCaches) {
  for (const char* folder :
       {"chameleon/geom_gcn/raw", "chameleon/geom-gcn/raw", "chameleon/raw",
        "chameleon", "new_data/chameleon"}) {
    const fs::path place = root_ / folder;
    write_small_geom_gcn(place);
    add_splits(place, "chameleon");
    const RawDataset raw = resolve_dataset(options("chameleon"));
    EXPECT_EQ(raw.splits.size(), 1u) << folder;
    EXPECT_EQ(fs::path(raw.provenance.files[0]).parent_path(), place);
    core::remove_tree(root_ / *fs::path(folder).begin());
  }
}

// The small Planetoid sample under the name of a published dataset.
void write_planetoid_as(const std::string& name, const fs::path& folder) {
  fs::create_directories(folder);
  for (const DatasetSample& sample : dataset_samples()) {
    if (sample.format == "planetoid") sample.write(folder);
  }
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::string file = entry.path().filename().string();
    fs::rename(entry.path(), folder / file.replace(4, 4, name));
  }
}

TEST_F(Registry, FindsPlanetoidFilesInOtherPeoplesCaches) {
  for (const char* folder :
       {"planetoid", "data", "Cora/raw", "cora/geom-gcn/raw",
        "Planetoid/Cora/raw", "raw"}) {
    write_planetoid_as("cora", root_ / folder);
    const RawDataset raw = resolve_dataset(options("cora"));
    EXPECT_EQ(raw.num_nodes, 4) << folder;
    EXPECT_EQ(fs::path(raw.provenance.files[0]).parent_path(), root_ / folder);
    core::remove_tree(root_ / *fs::path(folder).begin());
  }
}

// A sample of one file under the name of a published one.
void write_sample_as(const std::string& sample_name, const fs::path& file) {
  const TempDir scratch;
  for (const DatasetSample& sample : dataset_samples()) {
    if (sample.name != sample_name) continue;
    fs::path written = sample.write(scratch.path());
    if (fs::is_directory(written)) written /= file.filename();
    fs::create_directories(file.parent_path());
    fs::copy_file(written, file);
  }
}

struct OneFile {
  const char* name;
  const char* sample;
  std::vector<const char*> places;
  Direction direction;
};

TEST_F(Registry, FindsDatasetsOfOneFileWhereOthersPutThem) {
  const OneFile datasets[] = {
      {"roman-empire",
       "npz_published",
       {"heterophilous-graphs/roman_empire.npz", "roman_empire.npz",
        "roman_empire/raw/roman_empire.npz"},
       Direction::undirected},
      {"squirrel-filtered-directed",
       "npz_published",
       {"heterophilous-graphs/squirrel_filtered_directed.npz"},
       Direction::as_stored},
      {"amazon-photo",
       "sparse_npz",
       {"gnn-benchmark/amazon_electronics_photo.npz",
        "Amazon/Photo/raw/amazon_electronics_photo.npz",
        "Photo/raw/amazon_electronics_photo.npz"},
       Direction::undirected},
      {"coauthor-physics",
       "sparse_npz",
       {"gnn-benchmark/ms_academic_phy.npz", "Physics/raw/ms_academic_phy.npz"},
       Direction::undirected},
      {"wiki-cs",
       "wiki_cs",
       {"wiki-cs/data.json", "WikiCS/raw/data.json", "wikics/raw/data.json",
        "wiki-cs-dataset/dataset/data.json"},
       Direction::undirected}};
  for (const OneFile& dataset : datasets) {
    for (const char* place : dataset.places) {
      write_sample_as(dataset.sample, root_ / place);
      const NodeDataset data = load_dataset(options(dataset.name));
      EXPECT_EQ(data.name, dataset.name);
      EXPECT_EQ(fs::path(data.provenance.files.at(0)).lexically_normal(),
                root_ / place);
      EXPECT_EQ(data.treatment.direction, dataset.direction) << place;
      EXPECT_EQ(data.treatment.features, Treatment::Features::raw);
      EXPECT_EQ(data.graph.num_self_loops(), 4);
      core::remove_tree(root_ / *fs::path(place).begin());
    }
  }
}

TEST_F(Registry, AmazonGraphsHaveTheirOwnSplit) {
  write_sample_as("sparse_npz",
                  root_ / "gnn-benchmark/amazon_electronics_computers.npz");
  const RawDataset without = resolve_dataset(options("amazon-computers"));
  EXPECT_TRUE(without.splits.empty());
  EXPECT_TRUE(contains(without.provenance.notes.back(),
                       "looked for amazon-computer_split.npz in"));
  fs::create_directories(root_ / "gnn-benchmark/splits");
  core::NpzWriter archive(root_ /
                          "gnn-benchmark/splits/amazon-computer_split.npz");
  archive.add("train", ints({3, 0}));
  archive.add("valid", ints({1}));
  archive.add("test", ints({2}));
  archive.finish();
  const RawDataset raw = resolve_dataset(options("amazon-computers"));
  EXPECT_EQ(raw.split_set, "polynormer");
  ASSERT_EQ(raw.splits.size(), 1u);
  EXPECT_TRUE(same_split(raw.splits[0], {ints({0, 3}), ints({1}), ints({2})}));
}

TEST_F(Registry, NamesTheOneFileOfADatasetThatIsMissing) {
  write_planetoid_as("pubmed", root_ / "planetoid");
  fs::remove(root_ / "planetoid/ind.pubmed.allx");
  const std::string message =
      error_of([&] { resolve_dataset(options("pubmed")); });
  EXPECT_TRUE(contains(
      message, (root_ / "planetoid").string() + " lacks ind.pubmed.allx"))
      << message;
}

TEST_F(Registry, BothVersionsOfCornellUseTheSameSplitFiles) {
  write_small_geom_gcn(root_ / "geom-gcn/new_data/cornell_fixed");
  add_splits(root_ / "geom-gcn/splits", "cornell");
  EXPECT_EQ(resolve_dataset(options("cornell_fixed")).splits.size(), 1u);
}

TEST_F(Registry, SearchesTheRootsInOrder) {
  const TempDir second;
  write_small_geom_gcn(second / "texas");
  const ScopedEnvironment data("OGNN_DATA", second.path().c_str());
  EXPECT_TRUE(contains(resolve_dataset(options("texas")).provenance.files[0],
                       second.path().string()));
  write_small_geom_gcn(root_ / "texas");
  EXPECT_TRUE(contains(resolve_dataset(options("texas")).provenance.files[0],
                       root_.path().string()));
}

TEST_F(Registry, RootsFollowTheEnvironment) {
  const ScopedEnvironment data("OGNN_DATA", "/somewhere");
  EXPECT_EQ(data_roots("given"),
            (std::vector<fs::path>{"given", "/somewhere", "datasets",
                                   root_ / "cache/ognn/datasets"}));
  const ScopedEnvironment cache("XDG_CACHE_HOME", nullptr);
  const ScopedEnvironment home("HOME", "/home/x");
  EXPECT_EQ(data_roots("").back(), fs::path("/home/x/.cache/ognn/datasets"));
}

TEST_F(Registry, SaysWhatWasLookedForWhereWhenFilesAreMissing) {
  write_text(root_ / "texas" / kEdgeFile, kSmallEdges);
  const std::string message =
      error_of([&] { resolve_dataset(options("texas")); });
  EXPECT_TRUE(contains(message, kEdgeFile));
  EXPECT_TRUE(contains(message, (root_ / "texas").string() +
                                    " lacks out1_node_feature_label.txt"));
  EXPECT_TRUE(contains(message, "geom-gcn/new_data/texas"));
  EXPECT_TRUE(contains(message, root_.path().string()));
  EXPECT_TRUE(contains(
      message, (root_ / "cache/ognn/datasets").string() + " (does not exist)"));
  EXPECT_TRUE(contains(message, "OGNN_DATA"));
}

TEST_F(Registry, NamesTheNearestDataset) {
  const std::string message =
      error_of([&] { resolve_dataset(options("txas")); });
  EXPECT_TRUE(contains(message, "unknown dataset 'txas'"));
  EXPECT_TRUE(contains(message, "did you mean 'texas'"));
  EXPECT_TRUE(contains(error_of([&] { resolve_dataset(options("")); }),
                       "no dataset was chosen"));
  EXPECT_TRUE(contains(error_of([&] { resolve_dataset(options("a/b")); }),
                       "a/b: there is no such file or folder"));
  EXPECT_TRUE(contains(error_of([&] { resolve_dataset(options("x.npz")); }),
                       "x.npz: there is no such file or folder"));
}

TEST_F(Registry, LoadsAPathInAnyFormat) {
  write_small_geom_gcn(root_ / "mine");
  EXPECT_EQ(resolve_dataset(options((root_ / "mine").string())).name, "mine");
  DataOptions wrong = options((root_ / "mine").string());
  wrong.format = "npz";
  EXPECT_NE(error_of([&] { resolve_dataset(wrong); }), "");
}

TEST_F(Registry, AutoTakesTheTreatmentOfTheNamedDataset) {
  write_small_geom_gcn(root_ / "squirrel");
  write_small_geom_gcn(root_ / "texas");
  const NodeDataset squirrel = load_dataset(options("squirrel"));
  EXPECT_EQ(squirrel.treatment.direction, Direction::reversed);
  EXPECT_EQ(squirrel.treatment.self_loops, SelfLoops::add);
  EXPECT_EQ(squirrel.features.kind(), NodeFeatures::Kind::identity);
  const NodeDataset texas = load_dataset(options("texas"));
  EXPECT_EQ(texas.treatment.direction, Direction::as_stored);
  EXPECT_EQ(texas.treatment.features, Treatment::Features::row_normalized);
  EXPECT_EQ(texas.graph.num_self_loops(), 4);
}

TEST_F(Registry, SettingsOverrideTheTreatment) {
  write_small_geom_gcn(root_ / "squirrel");
  DataOptions chosen = options("squirrel");
  chosen.treatment.direction = Direction::undirected;
  chosen.treatment.self_loops = SelfLoops::remove;
  chosen.treatment.features = Treatment::Features::raw;
  const NodeDataset data = load_dataset(chosen);
  EXPECT_EQ(data.treatment.direction, Direction::undirected);
  EXPECT_EQ(data.graph.num_self_loops(), 0);
  EXPECT_EQ(data.features.num_features(), 8);
}

TEST(DataOptions, WordsOfTheTreatmentAreChecked) {
  DataOptions options;
  apply_json(data_option_table(),
             {{"direction", "reversed"}, {"self-loops", "auto"}}, options);
  EXPECT_EQ(options.treatment.direction, Direction::reversed);
  EXPECT_FALSE(options.treatment.self_loops.has_value());
  EXPECT_EQ(to_json(data_option_table(), options).at("features"), "auto");
  apply_json(data_option_table(), {{"direction", "auto"}}, options);
  EXPECT_FALSE(options.treatment.direction.has_value());
  for (const char* key : {"direction", "self-loops", "features"}) {
    EXPECT_THROW(apply_json(data_option_table(), {{key, "sideways"}}, options),
                 UsageError)
        << key;
  }
}

TEST_F(Registry, AutoKeepsFeaturesWithNegativeValuesRaw) {
  const NodeDataset gaussian =
      load_dataset(options("synthetic:csbm?nodes=50&degree=3&features=4"));
  EXPECT_EQ(gaussian.treatment.features, Treatment::Features::raw);
  EXPECT_EQ(gaussian.treatment.direction, Direction::undirected);
  const NodeDataset words = load_dataset(
      options("synthetic:csbm?nodes=50&degree=3&features=40&sparse=1"));
  EXPECT_EQ(words.treatment.features, Treatment::Features::row_normalized);
}

TEST_F(Registry, RandomSplitSetsReplaceThePublishedOnes) {
  write_small_geom_gcn(root_ / "texas");
  add_splits(root_ / "texas", "texas");
  DataOptions chosen = options("texas");
  chosen.split_set = "random:50/25/25x7";
  const RawDataset raw = resolve_dataset(chosen);
  EXPECT_EQ(raw.splits.size(), 7u);
  EXPECT_EQ(raw.split_set, "random:50/25/25x7 seed 0");
  EXPECT_EQ(raw.provenance.fingerprint, content_fingerprint(raw));
  chosen.split_seed = 1;
  EXPECT_NE(resolve_dataset(chosen).provenance.fingerprint,
            raw.provenance.fingerprint);
  chosen.split_set = "stratified:50/25/25";
  EXPECT_EQ(resolve_dataset(chosen).splits.size(), 10u);
  chosen.split_set = "none";
  EXPECT_TRUE(resolve_dataset(chosen).splits.empty());
  chosen.split_set = "geom-gcn";
  EXPECT_EQ(resolve_dataset(chosen).splits.size(), 1u);
}

TEST_F(Registry, RefusesSplitSetsThatDoNotExist) {
  write_small_geom_gcn(root_ / "texas");
  DataOptions chosen = options("texas");
  chosen.split_set = "public";
  EXPECT_TRUE(contains(error_of([&] { resolve_dataset(chosen); }),
                       "unknown split set 'public'"));
  chosen.split_set = "random:5";
  EXPECT_TRUE(
      contains(error_of([&] { resolve_dataset(chosen); }), "three shares"));
  chosen.split_set = "geom-gcn";
  EXPECT_TRUE(
      contains(error_of([&] { resolve_dataset(chosen); }), "no split files"));
  chosen = options("synthetic:csbm?nodes=50&degree=3");
  chosen.split_set = "geom-gcn";
  EXPECT_TRUE(
      contains(error_of([&] { resolve_dataset(chosen); }), "generated graphs"));
}

}  // namespace
}  // namespace ordered_gnn::data
