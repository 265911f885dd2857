#include "ordered_gnn/data/splits.h"

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

RandomSplitOptions options_of(const std::string& text, uint64_t seed = 0) {
  RandomSplitOptions options = parse_random_splits(text);
  options.seed = seed;
  return options;
}

int64_t count_label(const at::Tensor& labels, const at::Tensor& nodes,
                    int64_t label) {
  return labels.index_select(0, nodes).eq(label).sum().item<int64_t>();
}

TEST(ParseRandomSplits, ReadsKindSharesAndCount) {
  const RandomSplitOptions plain = parse_random_splits("random:48/32/20");
  EXPECT_FALSE(plain.stratified);
  EXPECT_DOUBLE_EQ(plain.train, 0.48);
  EXPECT_DOUBLE_EQ(plain.val, 0.32);
  EXPECT_DOUBLE_EQ(plain.test, 0.20);
  EXPECT_EQ(plain.count, 10);
  const RandomSplitOptions other =
      parse_random_splits("stratified:2.5/1/96.5x3");
  EXPECT_TRUE(other.stratified);
  EXPECT_DOUBLE_EQ(other.train, 0.025);
  EXPECT_EQ(other.count, 3);
}

TEST(ParseRandomSplits, SharesThatAddUpToOneAreFractions) {
  const at::Tensor labels = torch::arange(500, torch::kLong).remainder(3);
  for (const auto& [percent, fractions] :
       {std::pair("stratified:60/20/20", "stratified:0.6/0.2/0.2"),
        std::pair("random:48/32/20", "random:0.48/0.32/0.2"),
        std::pair("random:10/20/70x3", "random:.1/.2/.7x3")}) {
    const auto a = random_splits(labels, options_of(percent, 3));
    const auto b = random_splits(labels, options_of(fractions, 3));
    ASSERT_EQ(a.size(), b.size());
    EXPECT_TRUE(same_split(a.back(), b.back())) << fractions;
  }
  EXPECT_DOUBLE_EQ(parse_random_splits("random:1/98/1").train, 0.01);
}

TEST(ParseRandomSplits, AnyOtherSumIsRefusedWithBothForms) {
  for (const char* text :
       {"random:10/10/20", "random:1/1/1", "random:0.6/0.2/0.1",
        "stratified:60/20/20.1", "random:0.6/20/20", "random:50/30/30"}) {
    const std::string error = error_of([&] { parse_random_splits(text); });
    EXPECT_TRUE(contains(error, "the shares add up to")) << text;
    EXPECT_TRUE(contains(error, "100 (per cent) or to 1 (fractions)"));
    EXPECT_TRUE(contains(error, "--split-set"));
  }
}

TEST(ParseRandomSplits, OnlyTheTestPartMayBeEmpty) {
  EXPECT_EQ(parse_random_splits("stratified:80/20/0").test, 0);
  EXPECT_EQ(parse_random_splits("random:0.8/0.2/0").test, 0);
  for (const char* text :
       {"random:0/80/20", "random:80/0/20", "random:1/0/0", "random:0/1/0"}) {
    EXPECT_TRUE(contains(error_of([&] { parse_random_splits(text); }),
                         "is no share above 0"))
        << text;
  }
  EXPECT_TRUE(
      contains(error_of([] { parse_random_splits("random:60/60/-20"); }),
               "'-20' is no share of at least 0"));
}

TEST(RandomSplits, WithoutATestPartAllLabelledNodesAreInTheOthers) {
  const at::Tensor labels = torch::arange(101, torch::kLong).remainder(4);
  for (const char* form : {"random:80/20/0x3", "stratified:80/20/0x3"}) {
    for (const Split& split : random_splits(labels, options_of(form))) {
      EXPECT_EQ(split.train.size(0), 81);
      EXPECT_EQ(split.val.size(0), 20);
      EXPECT_EQ(split.test.size(0), 0);
    }
  }
}

TEST(ParseRandomSplits, ExplainsTheFormForAnythingElse) {
  for (const char* text :
       {"random", "random:", "random:48/32", "random:48/32/20/1",
        "random:a/b/c", "random:50/30/30", "random:0/50/50", "random:-1/50/50",
        "random:48/32/20x0", "random:48/32/20x", "random:48/32/20x1e9",
        "shuffle:48/32/20", "random:nan/1/1", "random:inf/1/1",
        "random: 48/32/20"}) {
    EXPECT_TRUE(contains(error_of([&] { parse_random_splits(text); }),
                         "random:48/32/20 or"))
        << text;
  }
  EXPECT_FALSE(is_random_split_set("geom-gcn"));
  EXPECT_TRUE(is_random_split_set("stratified:1/1/1"));
}

TEST(RandomSplits, CoverAllLabelledNodesWithTheAskedShares) {
  at::Tensor labels = torch::arange(1000, torch::kLong).remainder(3);
  labels[5] = -1;
  labels[6] = -1;
  const auto splits = random_splits(labels, options_of("random:48/32/20x4"));
  ASSERT_EQ(splits.size(), 4u);
  for (const Split& split : splits) {
    EXPECT_EQ(split.train.size(0), 479);
    EXPECT_EQ(split.val.size(0), 319);
    EXPECT_EQ(split.test.size(0), 200);
    const at::Tensor all =
        std::get<0>(torch::cat({split.train, split.val, split.test}).sort());
    EXPECT_EQ(std::get<0>(at::_unique(all)).size(0), 998);
    EXPECT_FALSE(all.eq(5).any().item<bool>());
    RawDataset raw;
    raw.name = "x";
    raw.num_nodes = 1000;
    raw.num_classes = 3;
    raw.labels = labels;
    raw.edges = torch::empty({2, 0}, torch::kLong);
    raw.features = NodeFeatures::identity(1000);
    raw.splits = {split};
    EXPECT_NO_THROW(validate(raw));
  }
}

TEST(RandomSplits, DifferByIndexAndSeedAndRepeatExactly) {
  const at::Tensor labels = torch::zeros({100}, torch::kLong);
  const auto a = random_splits(labels, options_of("random:50/30/20x3", 7));
  const auto b = random_splits(labels, options_of("random:50/30/20x2", 7));
  const auto c = random_splits(labels, options_of("random:50/30/20x2", 8));
  EXPECT_TRUE(same_split(a[0], b[0]));
  EXPECT_TRUE(same_split(a[1], b[1]));
  EXPECT_FALSE(same_split(a[0], a[1]));
  EXPECT_FALSE(same_split(a[0], c[0]));
}

TEST(RandomSplits, StratifiedKeepsTheSharesWithinEveryClass) {
  std::vector<int64_t> values;
  for (int64_t c = 0; c < 4; ++c) {
    values.insert(values.end(), 50 * (c + 1), c);
  }
  const at::Tensor labels = ints(values);
  for (const Split& split :
       random_splits(labels, options_of("stratified:48/32/20"))) {
    for (int64_t c = 0; c < 4; ++c) {
      const double size = 50.0 * static_cast<double>(c + 1);
      EXPECT_NEAR(count_label(labels, split.train, c), 0.48 * size, 1.01);
      EXPECT_NEAR(count_label(labels, split.val, c), 0.32 * size, 1.01);
      EXPECT_NEAR(count_label(labels, split.test, c), 0.20 * size, 1.01);
    }
    EXPECT_EQ(split.train.size(0), 240);
    EXPECT_EQ(split.val.size(0), 160);
    EXPECT_EQ(split.test.size(0), 100);
  }
}

TEST(RandomSplits, StratifiedStillFillsEveryPartFromManyTinyClasses) {
  const at::Tensor labels = torch::arange(100, torch::kLong);
  for (const Split& split :
       random_splits(labels, options_of("stratified:60/20/20"))) {
    EXPECT_NEAR(split.train.size(0), 60, 3);
    EXPECT_NEAR(split.val.size(0), 20, 3);
    EXPECT_NEAR(split.test.size(0), 20, 3);
  }
}

TEST(RandomSplits, LeaveOutWhatTheSharesDoNotCover) {
  const at::Tensor labels = torch::zeros({100}, torch::kLong);
  RandomSplitOptions options;
  options.train = options.val = options.test = 0.1;
  const auto splits = random_splits(labels, options);
  EXPECT_EQ(splits[0].train.size(0), 10);
  EXPECT_EQ(splits[0].test.size(0), 10);
}

TEST(RandomSplits, RefuseTooFewLabelledNodes) {
  EXPECT_TRUE(
      contains(error_of([] {
                 random_splits(ints({0, 1}), options_of("random:48/32/20"));
               }),
               "too few labelled nodes"));
  EXPECT_TRUE(contains(
      error_of([] {
        random_splits(ints({-1, -1, -1}), options_of("stratified:48/32/20"));
      }),
      "too few labelled nodes"));
}

TEST(ParseSplitList, ReadsAllIndicesAndRanges) {
  using List = std::vector<int64_t>;
  EXPECT_EQ(parse_split_list("all", 3), (List{0, 1, 2}));
  EXPECT_EQ(parse_split_list("0,3,5-7", 10), (List{0, 3, 5, 6, 7}));
  EXPECT_EQ(parse_split_list("9", 10), (List{9}));
  EXPECT_EQ(parse_split_list("2-2,0", 10), (List{2, 0}));
  EXPECT_EQ(parse_split_list(" 2, 0 ", 10), (List{2, 0}));
}

TEST(ParseSplitList, RefusesWhatIsNoListOrNotThere) {
  for (const char* text :
       {"", ",", "a", "1,", "-1", "1-", "1--2", "1.0", "1 2", " ", "All"}) {
    EXPECT_TRUE(
        contains(error_of([&] { parse_split_list(text, 10); }), "0,3,5-7"))
        << text;
  }
  EXPECT_TRUE(contains(error_of([] { parse_split_list("3,10", 10); }),
                       "split 10 does not exist; the dataset has 10, 0 to 9"));
  EXPECT_TRUE(contains(error_of([] { parse_split_list("0-99999999999", 10); }),
                       "does not exist"));
  EXPECT_TRUE(contains(error_of([] { parse_split_list("5-3", 10); }),
                       "runs backwards"));
  EXPECT_TRUE(contains(error_of([] { parse_split_list("1,0-2", 10); }),
                       "split 1 is given twice"));
  EXPECT_TRUE(contains(error_of([] { parse_split_list("3", 1); }),
                       "--split-set stratified:60/20/20x4"));
  EXPECT_TRUE(
      contains(error_of([] { parse_split_list("all", 0); }),
               "no splits; --split-set stratified:60/20/20 draws some"));
}

}  // namespace
}  // namespace ordered_gnn::data
