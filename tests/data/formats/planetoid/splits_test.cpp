#include "data/formats/planetoid/splits.h"

#include "data/formats/planetoid/planetoid_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

RawDataset load_split_set(const std::string& split_set) {
  const TempDir folder;
  write_planetoid_parts(folder.path(), files_with_public_splits());
  LoadOptions options;
  options.split_set = split_set;
  return load_planetoid(folder.path(), options);
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
  write_planetoid_parts(root / "planetoid", small_planetoid());
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
  write_planetoid_parts(root / "data", small_planetoid());
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
  write_planetoid_parts(folder.path(), small_planetoid());
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

}  // namespace
}  // namespace ordered_gnn::data
