#include "data/formats/geom_gcn/splits.h"

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

std::string split_error(const Masks& masks) {
  const TempDir folder;
  const auto file = folder / "x_split_0.6_0.2_0.npz";
  write_split(file, masks);
  const std::string message = error_of([&] { load_geom_gcn_split(file, 4); });
  EXPECT_TRUE(contains(message, file.string()));
  return message;
}

TEST(GeomGcnSplits, ReadsBooleanAndByteMasksFlatOrAsAColumn) {
  const TempDir folder;
  const auto file = folder / "x.npz";
  for (const auto type : {torch::kUInt8, torch::kBool, torch::kLong}) {
    for (const bool column : {false, true}) {
      Masks masks = small_masks();
      for (at::Tensor* mask : {&masks.train, &masks.val, &masks.test}) {
        *mask = mask->to(type);
        if (column) *mask = mask->unsqueeze(1);
      }
      write_split(file, masks);
      const Split split = load_geom_gcn_split(file, 4);
      EXPECT_TRUE(same_split(split, {ints({0}), ints({1}), ints({2})}));
    }
  }
}

TEST(GeomGcnSplits, SaysTheLengthFoundAndTheLengthExpected) {
  Masks masks = small_masks();
  masks.val = torch::zeros({7}, torch::kUInt8);
  const std::string message = split_error(masks);
  EXPECT_TRUE(contains(message, "val_mask"));
  EXPECT_TRUE(contains(message, "4 nodes"));
  EXPECT_TRUE(contains(message, "[7]"));
}

TEST(GeomGcnSplits, NamesTheNodeInTwoParts) {
  Masks masks = small_masks();
  masks.test[1] = 1;
  EXPECT_TRUE(contains(split_error(masks), "node 1 is in both val and test"));
}

TEST(GeomGcnSplits, NamesTheEmptyPart) {
  Masks masks = small_masks();
  masks.test.zero_();
  EXPECT_TRUE(contains(split_error(masks), "the test part is empty"));
}

TEST(GeomGcnSplits, RefusesMaskValuesAndTypesThatAreNoMask) {
  Masks masks = small_masks();
  masks.train[3] = 2;
  EXPECT_TRUE(contains(split_error(masks), "expected 0 or 1 for node 3"));
  masks = small_masks();
  masks.train = masks.train.to(torch::kFloat);
  EXPECT_TRUE(contains(split_error(masks), "booleans or integers"));
}

TEST(GeomGcnSplits, RefusesATruncatedArchiveAndAMissingMask) {
  const TempDir folder;
  const auto file = folder / "x.npz";
  write_split(file, small_masks());
  truncate_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_TRUE(
      contains(error_of([&] { load_geom_gcn_split(file, 4); }), file.string()));
  core::NpzWriter archive(file);
  archive.add("train_mask", small_masks().train);
  archive.finish();
  EXPECT_TRUE(
      contains(error_of([&] { load_geom_gcn_split(file, 4); }), "val_mask"));
}

TEST(GeomGcnSplits, FindsTheFilesInNumericalOrderInTheFirstFolderThatHasAny) {
  const TempDir folder;
  const std::string prefix = "tiny";
  for (int k = 0; k < 11; ++k) {
    write_text(folder / "b" / geom_gcn_split_name(prefix, k), "");
    write_text(folder / "c" / geom_gcn_split_name(prefix, k), "");
  }
  write_text(folder / "a" / geom_gcn_split_name("tiny_other", 0), "");
  write_text(folder / "a" / "tiny_split_0.6_0.2_x.npz", "");
  const auto files = find_geom_gcn_splits(
      {folder / "missing", folder / "a", folder / "b", folder / "c"}, prefix);
  ASSERT_EQ(files.size(), 11u);
  EXPECT_EQ(files[2], folder / "b" / geom_gcn_split_name(prefix, 2));
  EXPECT_EQ(files[10], folder / "b" / geom_gcn_split_name(prefix, 10));
  EXPECT_TRUE(find_geom_gcn_splits({folder / "a"}, prefix).empty());
}

TEST(GeomGcnSplits, NamesTheFileThatAGapLeavesOut) {
  const TempDir folder;
  write_text(folder / geom_gcn_split_name("x", 0), "");
  write_text(folder / geom_gcn_split_name("x", 2), "");
  const std::string message =
      error_of([&] { find_geom_gcn_splits({folder.path()}, "x"); });
  EXPECT_TRUE(contains(message, geom_gcn_split_name("x", 1)));
}

}  // namespace
}  // namespace ordered_gnn::data
