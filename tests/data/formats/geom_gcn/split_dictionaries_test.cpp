#include "data/formats/geom_gcn/split_dictionaries.h"

#include <random>

#include "data/data_support.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::data {
namespace {

std::string dict(const std::string& train, const std::string& valid,
                 const std::string& test, const std::string& val = "valid") {
  return pickled::dict({{pickled::text("train"), train},
                        {pickled::text(val), valid},
                        {pickled::text("test"), test}});
}

std::vector<Split> read(const std::string& content) {
  static const TempDir folder;
  write_text(folder / "splits.npy", content);
  return load_split_dictionaries(folder / "splits.npy", 6);
}

std::string error_with(const std::string& split) {
  return error_of([&] { read(pickled::split_file({split})); });
}

TEST(SplitDictionaries, ReadsListsInAnyOrder) {
  const std::vector<Split> splits = read(pickled::split_file(
      {pickled::split({4, 0}, {3}, {1, 5, 2}), pickled::split({1}, {0}, {})}));
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_TRUE(
      same_split(splits[0], {ints({0, 4}), ints({3}), ints({1, 2, 5})}));
  EXPECT_TRUE(same_split(splits[1], {ints({1}), ints({0}), ints({})}));
}

TEST(SplitDictionaries, ReadsArraysTuplesAndTheKeyVal) {
  const std::string split = dict(pickled::array(ints({5, 2})),
                                 pickled::array(ints({1}).to(torch::kInt)),
                                 pickled::tuple({pickled::integer(0)}), "val");
  const std::vector<Split> splits = read(pickled::split_file({split}));
  EXPECT_TRUE(same_split(splits.at(0), {ints({2, 5}), ints({1}), ints({0})}));
}

TEST(SplitDictionaries, NamesSplitAndPartOfABadNode) {
  const std::string outside = error_with(pickled::split({0}, {6}, {2}));
  EXPECT_TRUE(contains(outside,
                       "splits.npy: split 0: 'valid': names node 6; nodes are "
                       "0 to 5"));
  EXPECT_TRUE(
      contains(error_with(pickled::split({-1}, {}, {})), "names node -1"));
  EXPECT_TRUE(contains(error_with(pickled::split({0, 1, 0}, {2}, {3})),
                       "'train': node 0 was already given in 'train'"));
  EXPECT_TRUE(contains(error_with(pickled::split({0}, {2}, {3, 2})),
                       "'test': node 2 was already given in 'valid'"));
}

TEST(SplitDictionaries, RefusesOtherValues) {
  const std::string list = pickled::integers({1});
  EXPECT_TRUE(contains(error_with(pickled::none()), "expected a dict"));
  EXPECT_TRUE(
      contains(error_with(pickled::dict({{pickled::text("train"), list}})),
               "there is no 'valid'; expected 'train', 'valid' and 'test'"));
  EXPECT_TRUE(contains(error_with(dict(list, pickled::none(), list)),
                       "'valid': expected a list or an array of node ids, "
                       "found None"));
  EXPECT_TRUE(contains(
      error_with(dict(pickled::array(torch::ones({2})), list, list)),
      "expected an array [size] of integers, found shape [2] of Float"));
  EXPECT_TRUE(
      contains(error_with(dict(pickled::list({pickled::none()}), list, list)),
               "element 0 is None"));
}

TEST(SplitDictionaries, RefusesOtherArraysAndShapes) {
  const std::string one =
      pickled::file(pickled::objects({pickled::split({0}, {1}, {2})}), 3);
  const std::string list = pickled::file(pickled::integers({1}), 3);
  EXPECT_TRUE(
      contains(error_of([&] { read(pickled::npy("<i8", "(1,)", one)); }),
               "expected an array of objects"));
  EXPECT_TRUE(contains(error_of([&] { read(pickled::npy("|O", "(2,)", one)); }),
                       "states shape (2) but there are 1 objects"));
  EXPECT_TRUE(contains(error_of([&] { read(pickled::npy("|O", "()", one)); }),
                       "states shape ()"));
  EXPECT_TRUE(
      contains(error_of([&] { read(pickled::npy("|O", "(1,)", list)); }),
               "expected a NumPy array, found a list"));
  EXPECT_TRUE(contains(error_of([&] { read("not an array"); }), "splits.npy"));
}

TEST(SplitDictionaries, NeverExecutesWhatTheFileNames) {
  const std::string attack =
      pickled::call(pickled::global("os", "system"), {pickled::text("true")});
  EXPECT_TRUE(contains(error_with(attack), "not executed"));
}

TEST(SplitDictionaries, RefuseOrReadDamagedFiles) {
  const std::string content =
      pickled::split_file({pickled::split({4, 0}, {3}, {1, 5, 2})});
  for (size_t size = 0; size < content.size(); ++size) {
    EXPECT_TRUE(contains(error_of([&] { read(content.substr(0, size)); }),
                         "splits.npy"))
        << size;
  }
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string damaged = content;
    damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
    refused += error_of([&] { read(damaged); }).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 200);
  EXPECT_LT(refused, 1000);
}

TEST(SplitDictionaries, ReadsTheFiveSplitsOfArxivYear) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  constexpr int64_t kNodes = 169343;
  // Sums of the node ids, computed by NumPy.
  const std::vector<std::vector<int64_t>> sums = {
      {7182589259, 3582049071, 3573802823},
      {7182777104, 3563061775, 3592602274},
      {7164524441, 3589454713, 3584461999},
      {7175301347, 3574466786, 3588673020},
      {7146452594, 3592158324, 3599830235}};
  const std::vector<Split> splits = load_split_dictionaries(
      real_data() / "arxiv-year" / "arxiv-year-splits.npy", kNodes);
  ASSERT_EQ(splits.size(), 5u);
  for (size_t k = 0; k < splits.size(); ++k) {
    const Split& split = splits[k];
    EXPECT_EQ(split.train.size(0), 84671);
    EXPECT_EQ(split.val.size(0), 42335);
    EXPECT_EQ(split.test.size(0), 42337);
    EXPECT_EQ((std::vector<int64_t>{split.train.sum().item<int64_t>(),
                                    split.val.sum().item<int64_t>(),
                                    split.test.sum().item<int64_t>()}),
              sums[k]);
    const at::Tensor all =
        std::get<0>(torch::cat({split.train, split.val, split.test}).sort());
    EXPECT_TRUE(torch::equal(all, torch::arange(kNodes)));
  }
}

}  // namespace
}  // namespace ordered_gnn::data
