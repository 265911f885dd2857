#include "data/formats/ogb/ogb_support.h"
#include "data/formats/ogb/year_classes.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

OgbParts eight_nodes() {
  return {{"raw/num-node-list.csv", "8\n"},
          {"raw/num-edge-list.csv", "1\n"},
          {"raw/edge.csv", "0,7\n"},
          {"raw/node-feat.csv", "1\n2\n3\n4\n5\n6\n7\n8\n"},
          {"raw/node_year.csv", "1\n2\n3\n4\n5\n6\n7\n8\n"}};
}

// Five equal splits of the eight nodes.
std::string five_equal_splits() {
  return pickled::split_file(std::vector<std::string>(
      5, pickled::split({0, 1, 2, 3}, {4, 5}, {6, 7})));
}

TEST(Ogb, CutsYearsIntoClasses) {
  const TempDir folder;
  write_ogb_parts(folder.path(), small_ogb(), false);
  const RawDataset raw = load_ogb(folder.path(), with_years(2));
  // Median 2015: equal goes up.
  EXPECT_TRUE(torch::equal(raw.labels, ints({1, 0, 1, 1})));
  EXPECT_EQ(raw.num_classes, 2);
  EXPECT_TRUE(contains(raw.provenance.notes[0], "node_year.csv cut into 2"));
}

TEST(Ogb, YearClassesNeedYears) {
  EXPECT_TRUE(
      contains(ogb_error("raw/node_year.csv", "", with_years(5)), "missing"));
  for (const char* year : {"x", "2015.5", "nan", "1e13"}) {
    EXPECT_TRUE(contains(
        ogb_error("raw/node_year.csv", std::string("1\n") + year + "\n1\n1\n",
                  with_years(5)),
        "node_year.csv:2:"))
        << year;
  }
  const TempDir folder;
  write_ogb_parts(folder.path(), small_ogb(), false);
  EXPECT_THROW(load_ogb(folder.path(), with_years(-1)), UsageError);
  EXPECT_THROW(load_ogb(folder.path(), with_years(kMaxClasses + 1)),
               UsageError);
}

TEST(YearClasses, InterpolateBetweenYearsAsNumPyDoes) {
  // numpy.quantile([1, 2, 3, 10], [1/3, 2/3]) = 2, 3.
  EXPECT_TRUE(
      torch::equal(classes_of_years({10, 1, 3, 2}, 3), ints({2, 0, 2, 1})));
  // numpy.quantile([1, 2, 3, 10], 0.5) = 2.5.
  EXPECT_TRUE(
      torch::equal(classes_of_years({10, 1, 3, 2}, 2), ints({1, 0, 1, 0})));
  EXPECT_TRUE(torch::equal(classes_of_years({7}, 5), ints({4})));
  EXPECT_TRUE(torch::equal(classes_of_years({7, 8}, 1), ints({0, 0})));
  EXPECT_TRUE(torch::equal(classes_of_years({-5, -3, -1}, 2), ints({0, 1, 1})));
}

TEST(Ogb, FindsTheArxivYearSplitsInTheirPlaces) {
  const TempDir root;
  const fs::path folder = root / "data" / "ogbn_tiny";
  write_ogb_parts(folder, eight_nodes(), false);
  const RawDataset without = load_ogb(folder, with_years(2));
  EXPECT_TRUE(without.splits.empty());
  EXPECT_TRUE(
      contains(without.provenance.notes.back(), "arxiv-year-splits.npy"));
  LoadOptions options = with_years(2);
  options.split_set = "arxiv-year";
  EXPECT_TRUE(contains(error_of([&] { load_ogb(folder, options); }),
                       (root / "data" / "arxiv-year").string()));
  options.split_folders = {root / "elsewhere"};
  const std::string content = five_equal_splits();
  for (const fs::path& place : {root / "data" / "arxiv-year", root / "data",
                                folder, root / "elsewhere"}) {
    write_text(place / "arxiv-year-splits.npy", content);
    const RawDataset raw = load_ogb(folder, options);
    EXPECT_EQ(raw.split_set, "arxiv-year");
    ASSERT_EQ(raw.splits.size(), 5u);
    EXPECT_TRUE(same_split(raw.splits[4],
                           {ints({0, 1, 2, 3}), ints({4, 5}), ints({6, 7})}));
    EXPECT_EQ(raw.provenance.files.back(),
              (place / "arxiv-year-splits.npy").string());
  }
}

}  // namespace
}  // namespace ordered_gnn::data
