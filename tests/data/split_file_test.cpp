#include "data/split_file.h"

#include "data/data_support.h"
#include "data/formats/npz/dataset.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::data {
namespace {

using Arrays = std::vector<std::pair<std::string, at::Tensor>>;

// Four nodes: "a" to "d" or without names.
class SplitFile : public ::testing::Test {
 protected:
  std::string npz(const Arrays& arrays) const {
    const std::string file = (dir_ / "s.npz").string();
    core::NpzWriter archive(file);
    for (const auto& [name, values] : arrays) archive.add(name, values);
    archive.finish();
    return file;
  }
  std::string text(const std::string& content) const {
    write_text(dir_ / "masks.csv", content);
    return (dir_ / "masks.csv").string();
  }

  std::vector<Split> splits(const std::string& file) {
    attach_split_file(file, raw_);
    EXPECT_EQ(raw_.split_set, "split file " + file);
    EXPECT_EQ(raw_.provenance.files.back(), file);
    return raw_.splits;
  }
  std::string refused(const std::string& file) {
    return error_of([&] { attach_split_file(file, raw_); });
  }

  TempDir dir_;
  RawDataset raw_ = small_dataset();
};

at::Tensor mask(const std::vector<int64_t>& values) {
  return ints(values).to(torch::kBool);
}

const Split& expected_split() {
  static const Split split{ints({0, 3}), ints({1}), ints({2})};
  return split;
}

TEST_F(SplitFile, ReadsNodeIdsInAnyOrderUnderBothNames) {
  for (const char* val : {"valid", "val"}) {
    const std::vector<Split> got = splits(npz({{"train", ints({3, 0})},
                                               {val, ints({1}).to(torch::kInt)},
                                               {"test", ints({2})}}));
    ASSERT_EQ(got.size(), 1u);
    EXPECT_TRUE(same_split(got[0], expected_split())) << val;
  }
}

TEST_F(SplitFile, ReadsSeveralListsOfIds) {
  const std::vector<Split> got =
      splits(npz({{"train", ints({3, 0, 1, 2}).view({2, 2})},
                  {"valid", ints({1, 0}).view({2, 1})},
                  {"test", ints({2, 3}).view({2, 1})}}));
  ASSERT_EQ(got.size(), 2u);
  EXPECT_TRUE(same_split(got[0], expected_split()));
  EXPECT_TRUE(same_split(got[1], {ints({1, 2}), ints({0}), ints({3})}));
}

TEST_F(SplitFile, ReadsMasksOfEveryShape) {
  const at::Tensor train = mask({1, 0, 0, 1});
  const at::Tensor val = mask({0, 1, 0, 0});
  const at::Tensor test = mask({0, 0, 1, 0});
  const auto read_as = [&](const std::vector<int64_t>& shape,
                           const std::string& suffix) {
    return splits(npz({{"train" + suffix, train.view(shape)},
                       {"val" + suffix, val.view(shape).to(torch::kByte)},
                       {"test" + suffix, test.view(shape)}}));
  };
  const std::vector<int64_t> shapes[] = {{4}, {1, 4}, {4, 1}};
  for (const std::vector<int64_t>& shape : shapes) {
    for (const char* suffix : {"_mask", "_masks"}) {
      EXPECT_TRUE(same_split(read_as(shape, suffix).at(0), expected_split()));
    }
  }
  const std::vector<Split> two =
      splits(npz({{"train", torch::stack({train, test})},
                  {"val", torch::stack({val, val})},
                  {"test", torch::stack({test, train})}}));
  ASSERT_EQ(two.size(), 2u);
  EXPECT_TRUE(same_split(two[1], {ints({2}), ints({1}), ints({0, 3})}));
}

TEST_F(SplitFile, ReadsDictionariesOfTheLinkxBenchmarks) {
  const std::string file = (dir_ / "s.npy").string();
  write_text(file, pickled::split_file({pickled::split({3, 0}, {1}, {2})}));
  EXPECT_TRUE(same_split(splits(file).at(0), expected_split()));
}

TEST_F(SplitFile, ReadsADatasetOfOurOwn) {
  const std::string file = (dir_ / "g.npz").string();
  write_npz_dataset(file, raw_);
  EXPECT_TRUE(same_split(splits(file).at(0), small_dataset().splits[0]));
}

TEST_F(SplitFile, ReadsMasksByTheNamesOfNodes) {
  const std::string numbers =
      text("node,split_0\n3,train\n1,val\n2,test\n0,train\n");
  EXPECT_TRUE(same_split(splits(numbers).at(0), expected_split()));
  raw_.node_names = {"a", "b", "c", "d"};
  EXPECT_TRUE(contains(refused(numbers),
                       "masks.csv:2: node '3' is not among "
                       "the 4 nodes of small"));
  EXPECT_TRUE(same_split(
      splits(text("node,split_0\nd,train\nb,val\nc,test\na,train\n")).at(0),
      expected_split()));
}

// Nodes may be called 0 .. N-1 in an order of their own.
TEST_F(SplitFile, NamesThatAreNumbersAreNames) {
  raw_.node_names = {"3", "2", "1", "0"};
  EXPECT_TRUE(same_split(
      splits(text("node,split_0\n0,train\n2,val\n1,test\n3,train\n")).at(0),
      expected_split()));
}

TEST_F(SplitFile, RefusesThoseOfOtherNodes) {
  const std::string ids = refused(
      npz({{"train", ints({0})}, {"valid", ints({4})}, {"test", ints({2})}}));
  EXPECT_TRUE(contains(ids,
                       "s.npz: split 0: 'valid': names node 4; nodes are "
                       "0 to 3"))
      << ids;
  EXPECT_TRUE(contains(ids, "A split file is for the 4 nodes of 'small'"));
  const at::Tensor five = mask({1, 0, 0, 0, 1});
  const std::string masks = refused(
      npz({{"train_mask", five}, {"val_mask", five}, {"test_mask", five}}));
  EXPECT_TRUE(contains(masks,
                       "train_mask[0]: expected a mask with one entry "
                       "for each of the 4 nodes, got shape [5]"))
      << masks;
}

TEST_F(SplitFile, RefusesPartsThatOverlap) {
  EXPECT_TRUE(contains(refused(npz({{"train", ints({0, 1})},
                                    {"valid", ints({1})},
                                    {"test", ints({2})}})),
                       "'valid': node 1 was already given in 'train'"));
  EXPECT_TRUE(contains(refused(npz({{"train_mask", mask({1, 1, 0, 0})},
                                    {"val_mask", mask({0, 1, 0, 0})},
                                    {"test_mask", mask({0, 0, 1, 0})}})),
                       "split 0: node 1 is in both train and val"));
}

TEST_F(SplitFile, RefusesEmptyParts) {
  EXPECT_TRUE(contains(
      refused(npz(
          {{"train", ints({0})}, {"valid", ints({})}, {"test", ints({2})}})),
      "valid: is empty"));
  EXPECT_TRUE(contains(refused(npz({{"train_mask", mask({1, 0, 0, 0})},
                                    {"val_mask", mask({0, 1, 0, 0})},
                                    {"test_mask", mask({0, 0, 0, 0})}})),
                       "split 0: the test part is empty"));
  EXPECT_TRUE(contains(refused(text("node,split_0\n0,train\n1,val\n")),
                       "the test part is empty"));
  const at::Tensor none = torch::zeros({0, 4}, torch::kBool);
  EXPECT_TRUE(contains(
      refused(npz(
          {{"train_masks", none}, {"val_masks", none}, {"test_masks", none}})),
      "there are no splits in it"));
}

TEST_F(SplitFile, SaysWhichArraysItKnows) {
  const std::string unknown = refused(npz({{"idx", ints({0})}}));
  EXPECT_TRUE(contains(unknown,
                       "there are no splits in this file; expected "
                       "train_mask, val_mask and test_mask"))
      << unknown;
  EXPECT_TRUE(contains(unknown, "found idx"));
  EXPECT_TRUE(
      contains(refused(npz({{"train", ints({0})}, {"test", ints({2})}})),
               "there is no array 'val'"));
  EXPECT_TRUE(contains(refused(npz({{"train", torch::ones({2})},
                                    {"valid", ints({1})},
                                    {"test", ints({2})}})),
                       "train: expected node ids [size] or [S, size]"));
  EXPECT_TRUE(contains(refused(npz({{"train", ints({0, 1}).view({2, 1})},
                                    {"valid", ints({1})},
                                    {"test", ints({2})}})),
                       "valid: has lists for 1 splits, train for 2"));
  EXPECT_TRUE(contains(refused(text("id,part\n0,train\n")), "masks.csv"));
}

TEST(SplitFileOption, OneOfTwoWaysToChooseSplits) {
  DataOptions options;
  options.data = "synthetic:csbm?nodes=30&degree=3";
  options.split_file = "nowhere.npz";
  EXPECT_TRUE(contains(error_of([&] { resolve_dataset(options); }),
                       "nowhere.npz: there is no such split file"));
  options.split_set = "random:50/25/25";
  EXPECT_THROW(resolve_dataset(options), UsageError);
  EXPECT_THROW(check_split_choice({{"split_file", "f"}, {"split-set", "s"}}),
               UsageError);
  check_split_choice({{"split-file", "f"}, {"split-set", "auto"}});
  check_split_choice({{"split-file", ""}, {"split-set", "s"}});
}

TEST(SplitFileOption, TheLaterLayerDecides) {
  DataOptions options;
  apply_json(data_option_table(), {{"split-set", "geom-gcn"}}, options);
  apply_json(data_option_table(), {{"split-file", "f"}}, options);
  EXPECT_EQ(options.split_set, "auto");
  apply_json(data_option_table(), to_json(data_option_table(), options),
             options);
  EXPECT_EQ(options.split_file, "f");
  apply_json(data_option_table(), {{"split-set", "none"}}, options);
  EXPECT_EQ(options.split_file, "");
  EXPECT_EQ(options.split_set, "none");
}

TEST_F(SplitFile, IsPartOfTheDatasFingerprint) {
  DataOptions options;
  options.data = "synthetic:csbm?nodes=4&degree=1&classes=2&splits=0";
  options.split_file =
      npz({{"train", ints({3, 0})}, {"valid", ints({1})}, {"test", ints({2})}});
  const RawDataset first = resolve_dataset(options);
  EXPECT_TRUE(same_split(first.splits.at(0), expected_split()));
  std::filesystem::rename(options.split_file, dir_ / "moved.npz");
  DataOptions moved = options;
  moved.split_file = (dir_ / "moved.npz").string();
  EXPECT_EQ(resolve_dataset(moved).provenance.fingerprint,
            first.provenance.fingerprint);
  npz({{"train", ints({3, 0})}, {"valid", ints({2})}, {"test", ints({1})}});
  EXPECT_NE(resolve_dataset(options).provenance.fingerprint,
            first.provenance.fingerprint);
}

TEST_F(SplitFile, TrainingKeepsItsAbsolutePath) {
  DataOptions options;
  options.data = "synthetic:csbm?nodes=4&degree=1&classes=2&splits=0";
  const std::string file =
      npz({{"train", ints({3, 0})}, {"valid", ints({1})}, {"test", ints({2})}});
  options.split_file = std::filesystem::path(file)
                           .lexically_relative(std::filesystem::current_path())
                           .string();
  load_training_dataset(options);
  EXPECT_EQ(options.split_file, file);
}

}  // namespace
}  // namespace ordered_gnn::data
