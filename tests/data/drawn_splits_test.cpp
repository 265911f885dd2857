// Splits of data that comes without any.
#include "data/drawn_splits.h"

#include "data/data_support.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/splits.h"

namespace ordered_gnn::data {
namespace {

RawDataset labelled(const std::vector<int64_t>& labels,
                    const std::vector<std::string>& class_names) {
  RawDataset raw;
  raw.name = "customers";
  raw.labels = ints(labels);
  raw.num_nodes = raw.labels.size(0);
  raw.num_classes = static_cast<int64_t>(class_names.size());
  raw.class_names = class_names;
  raw.edges = torch::zeros({2, 1}, torch::kLong);
  raw.features = NodeFeatures::identity(raw.num_nodes);
  return raw;
}

RawDataset many_labelled() {
  std::vector<int64_t> labels(100, 0);
  for (size_t v = 60; v < 90; ++v) labels[v] = 1;
  for (size_t v = 90; v < 100; ++v) labels[v] = -1;
  return labelled(labels, {"stay", "churn"});
}

class DrawnSplits : public testing::Test {
 protected:
  DataOptions stored(const RawDataset& raw) {
    write_npz_dataset(dir_ / "g.npz", raw);
    DataOptions options;
    options.data = (dir_ / "g.npz").string();
    return options;
  }

  TempDir dir_;
};

TEST_F(DrawnSplits, OneStratifiedSplitIsDrawnForTraining) {
  DataOptions options = stored(many_labelled());
  options.split_seed = 7;
  const NodeDataset data = load_training_dataset(options);
  ASSERT_EQ(data.splits.size(), 1u);
  EXPECT_EQ(data.splits[0].train.numel(), 54);
  EXPECT_EQ(data.splits[0].val.numel(), 18);
  EXPECT_EQ(data.splits[0].test.numel(), 18);
  EXPECT_EQ(options.split_set, "stratified:60/20/20x1");
  EXPECT_EQ(data.split_set, "stratified:60/20/20x1 seed 7");
  const std::vector<std::string> notes = drawn_split_notes(data);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(contains(notes[0],
                       "no splits in the data: drew "
                       "stratified:60/20/20x1"));
  EXPECT_TRUE(contains(notes[0], "54 train, 18 val, 18 test"));
  EXPECT_TRUE(contains(notes[0], "--split-set"));
}

TEST_F(DrawnSplits, WhatIsWrittenIntoTheOptionsDrawsTheSameAgain) {
  DataOptions options = stored(many_labelled());
  const NodeDataset first = load_training_dataset(options);
  const NodeDataset again = load_dataset(options);
  ASSERT_EQ(again.splits.size(), 1u);
  EXPECT_TRUE(same_split(first.splits[0], again.splits[0]));
  EXPECT_EQ(first.provenance.fingerprint, again.provenance.fingerprint);
  EXPECT_TRUE(drawn_split_notes(again).empty());
}

TEST_F(DrawnSplits, NobodyDrawsWhereSplitsAreStoredOrNotAskedFor) {
  RawDataset raw = many_labelled();
  DataOptions options = stored(raw);
  EXPECT_TRUE(load_dataset(options).splits.empty());
  EXPECT_TRUE(resolve_dataset(options).splits.empty());
  options.split_set = "none";
  EXPECT_TRUE(load_training_dataset(options).splits.empty());
  raw.splits = {{ints({0, 60}), ints({1, 61}), ints({})}};
  options = stored(raw);
  const NodeDataset data = load_training_dataset(options);
  ASSERT_EQ(data.splits.size(), 1u);
  EXPECT_EQ(data.splits[0].train.numel(), 2);
  EXPECT_EQ(options.split_set, "auto");
}

TEST_F(DrawnSplits, TooFewLabelsAreCountedByClass) {
  DataOptions options = stored(labelled({0, -1, 1, -1}, {"stay", "churn"}));
  const std::string error = error_of([&] { load_training_dataset(options); });
  EXPECT_TRUE(contains(error, "'customers' has 2 labelled nodes"));
  EXPECT_TRUE(contains(error, "'stay' 1, 'churn' 1"));
  EXPECT_TRUE(contains(error, "--split-set"));
  options.split_set = "random:60/20/20";
  EXPECT_TRUE(contains(error_of([&] { load_training_dataset(options); }),
                       "'stay' 1, 'churn' 1"));
  options = stored(labelled({-1, -1}, {"stay", "churn"}));
  EXPECT_TRUE(contains(error_of([&] { load_training_dataset(options); }),
                       "no node of 'customers' has a label"));
}

TEST_F(DrawnSplits, AClassThatIsNeverTrainedOnIsNoted) {
  std::vector<int64_t> labels(50, 0);
  labels[20] = 1;
  RawDataset raw = labelled(labels, {"stay", "churn"});
  // Some split has the one node elsewhere.
  draw_splits("random:20/40/40x20", 1, raw);
  bool said = false;
  for (const std::string& note : raw.provenance.notes) {
    said = said || contains(note, "no training node of 'churn'");
  }
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace ordered_gnn::data
