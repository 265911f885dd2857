#include "data/formats/wiki_cs/wiki_cs.h"

#include <map>

#include "data/data_support.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {
namespace {

// Keys of a file of three nodes, which a test changes or takes away.
class WikiCs : public ::testing::Test {
 protected:
  RawDataset load(const LoadOptions& options = {}) const {
    std::string text;
    for (const auto& [key, value] : keys_) {
      text += (text.empty() ? "{\"" : ", \"") + key + "\": " + value;
    }
    write_text(dir_ / "data.json", text + "}");
    return load_wiki_cs(dir_.path(), options);
  }
  // With any of these values for a key, the error says what stands beside it.
  void expect_refused(
      const std::string& key,
      const std::vector<std::pair<const char*, const char*>>& values) {
    const std::string before = keys_[key];
    for (const auto& [value, message] : values) {
      keys_[key] = value;
      EXPECT_TRUE(contains(error_of([&] { load(); }), message))
          << key << ": " << value;
    }
    keys_[key] = before;
  }

  TempDir dir_;
  std::map<std::string, std::string> keys_ = {
      {"features", "[[0.5, -1e-3], [1, 2.25], [3, 4]]"},
      {"labels", "[0, 2, -1]"},
      {"links", "[[1, 2], [], [0, 2]]"},
      {"train_masks", "[[true, false, false], [false, true, false]]"},
      {"val_masks", "[[false, true, false], [false, false, false]]"},
      {"stopping_masks", "[[false, false, false], [true, false, false]]"},
      {"test_mask", "[false, false, true]"}};
};

TEST_F(WikiCs, ReadsEveryPart) {
  const RawDataset raw = load();
  EXPECT_EQ(raw.num_nodes, 3);
  EXPECT_EQ(raw.num_classes, 3);
  EXPECT_TRUE(torch::equal(raw.labels, ints({0, 2, -1})));
  EXPECT_TRUE(torch::equal(
      raw.edges, torch::tensor({{0, 0, 2, 2}, {1, 2, 0, 2}}, torch::kLong)));
  EXPECT_FALSE(raw.edges_are_undirected);
  EXPECT_TRUE(
      torch::equal(raw.features.to_dense(),
                   torch::tensor({{0.5f, -1e-3f}, {1.f, 2.25f}, {3.f, 4.f}})));
  EXPECT_EQ(raw.provenance.format, "wiki-cs");
}

TEST_F(WikiCs, StopsAndChoosesByOnePart) {
  const RawDataset raw = load();
  EXPECT_EQ(raw.split_set, "file");
  ASSERT_EQ(raw.splits.size(), 2u);
  EXPECT_TRUE(same_split(raw.splits[0], {ints({0}), ints({1}), ints({2})}));
  EXPECT_TRUE(same_split(raw.splits[1], {ints({1}), ints({0}), ints({2})}));
  ASSERT_EQ(raw.provenance.notes.size(), 1u);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "stopping_masks"));
}

TEST_F(WikiCs, NeedsNeitherSplitsNorStoppingMasks) {
  keys_.erase("stopping_masks");
  const RawDataset raw = load();
  EXPECT_TRUE(same_split(raw.splits.at(1), {ints({1}), ints({}), ints({2})}));
  LoadOptions options;
  options.split_set = "none";
  EXPECT_TRUE(load(options).splits.empty());
  for (const char* key : {"train_masks", "val_masks", "test_mask"}) {
    keys_.erase(key);
  }
  EXPECT_TRUE(load().splits.empty());
  options.split_set = "file";
  EXPECT_TRUE(contains(error_of([&] { load(options); }),
                       "there are no splits in this file"));
}

TEST_F(WikiCs, PassesOverOtherKeysAndTakesNumbersAsFlags) {
  keys_["other"] = R"({"a": [1, {"labels": [7]}], "b": null})";
  keys_["more"] = "\"text\"";
  keys_["test_mask"] = "[0, 0, 1]";
  EXPECT_EQ(load().splits.at(0).test.size(0), 1);
}

TEST_F(WikiCs, IsFoundInFoldersAndGzipped) {
  load();
  EXPECT_TRUE(is_wiki_cs(dir_.path()));
  EXPECT_TRUE(is_wiki_cs(dir_ / "data.json"));
  EXPECT_FALSE(is_wiki_cs(dir_ / "other.json"));
  const TempDir cache;
  EXPECT_FALSE(is_wiki_cs(cache.path()));
  std::filesystem::create_directories(cache / "WikiCS/raw");
  write_gzip(cache / "WikiCS/raw/data.json.gz",
             R"({"features": [[1]], "labels": [0], "links": [[]]})");
  const RawDataset raw = load_path(cache / "WikiCS");
  EXPECT_EQ(raw.name, "WikiCS");
  EXPECT_EQ(raw.num_nodes, 1);
  EXPECT_EQ(raw.edges.size(1), 0);
}

TEST_F(WikiCs, NamesTheKeyOfAWrongValue) {
  expect_refused(
      "labels",
      {{"[0, 1.5, 1]",
        "data.json: labels: expected a list of integers, found 1.5"},
       {"[[0], [1], [1]]", "labels: expected a list of integers, found a list"},
       {"7", "found a value outside"},
       {"{}", "found an object"},
       {"[1e300, 0, 0]", "found 1e+300"},
       {"[18446744073709551615, 0, 0]",
        "labels: expected a list of integers"}});
  expect_refused("features",
                 {{"[[0, 1], [1, null], [2, 3]]",
                   "features: row 1: expected a list of lists of finite "
                   "numbers, found null"},
                  {"[[0, 1], [1, 1e39], [2, 3]]", "features: row 1"},
                  {"[0, 1, 2]", "found a value outside of them"}});
  expect_refused(
      "test_mask",
      {{"[0, 1, 2]", "test_mask: expected a list of true and false, found 2"}});
  expect_refused("links",
                 {{"[[true], [], []]",
                   "links: row 0: expected a list of lists of integers, found "
                   "true or false"}});
}

TEST_F(WikiCs, NamesWhatDoesNotFitTogether) {
  expect_refused(
      "features",
      {{"[[0, 1], [1, 2]]", "features: has 2 entries for 3 labels"},
       {"[[0, 1], [1], [2, 3]]", "features: row 1 has 1 values, expected 2"},
       {"[[], [], []]", "features: expected numbers"}});
  expect_refused("links", {{"[[1]]", "links: has 1 entries"},
                           {"[[1], [3], []]", "data.json"}});
  expect_refused("labels", {{"[]", "a dataset needs a node"},
                            {"[0, 1, 1000001]", "classes"}});
  expect_refused(
      "train_masks",
      {{"[[true, false]]", "val_masks: has 2 masks, train_masks has 1"},
       {"[[true], [true]]", "train_masks: row 0 has 1 values, expected 3"}});
  expect_refused("test_mask",
                 {{"[true]", "test_mask: has 1 entries for 3 labels"},
                  {"[true, false, true]", "in both train and test"}});
  keys_.erase("val_masks");
  EXPECT_TRUE(contains(error_of([&] { load(); }), "val_masks: is missing"));
}

TEST_F(WikiCs, RefusesWhatIsNoJsonObject) {
  const auto message = [&](const std::string& text) {
    write_text(dir_ / "data.json", text);
    return error_of([&] { load_wiki_cs(dir_ / "data.json"); });
  };
  EXPECT_TRUE(contains(message(""), "data.json: "));
  EXPECT_TRUE(contains(message("{\"labels\": [0,"), "parse error at line 1"));
  for (const char* text : {"[]", "3", "\"x\"", "null", "true", "1.5"}) {
    EXPECT_TRUE(contains(message(text), "expected one JSON object")) << text;
  }
  EXPECT_TRUE(contains(message("{}"), "labels: is missing"));
  EXPECT_TRUE(contains(message(R"({"labels": [0], "labels": [0]})"),
                       "labels: is there twice"));
  EXPECT_TRUE(contains(
      error_of([&] { load_wiki_cs(dir_ / "no" / "data.json"); }), "data.json"));
}

}  // namespace
}  // namespace ordered_gnn::data
