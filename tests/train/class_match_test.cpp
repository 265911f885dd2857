#include "train/class_match.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

using Names = std::vector<std::string>;
using Labels = std::vector<int64_t>;

// A ring of nodes with these labels; features of width 2.
NodeDataset ring(const Labels& labels, const Names& classes,
                 const Names& nodes = {}) {
  const auto count = static_cast<int64_t>(labels.size());
  const at::Tensor node = torch::arange(count, torch::kLong);
  ArrayOptions options;
  options.name = "ring";
  options.class_names = classes;
  options.node_names = nodes;
  options.split_set = "none";
  return make_dataset(torch::stack({node, (node + 1).remainder(count)}, 1),
                      torch::ones({count, 2}),
                      torch::tensor(labels, torch::kLong), options);
}

Trained model_of(const Names& classes, int64_t count = 0) {
  Trained trained;
  trained.shape.num_features = 2;
  trained.shape.num_classes =
      count > 0 ? count : static_cast<int64_t>(classes.size());
  trained.class_names = classes;
  return trained;
}

Labels labels_of(const NodeDataset& data) {
  const auto* const label = data.labels.data_ptr<int64_t>();
  return Labels(label, label + data.labels.numel());
}

Labels matched(const Trained& trained, const NodeDataset& data) {
  return labels_of(match_classes(trained, data).data);
}

TEST(MatchClasses, GoesByNameWhateverTheOrderAndTheNumber) {
  const Trained trained = model_of({"ash", "beech", "cedar", "date"});
  const FoundData out =
      match_classes(trained, ring({1, 0, -1, 1}, {"date", "beech"}));
  EXPECT_EQ(labels_of(out.data), (Labels{1, 3, -1, 1}));
  EXPECT_EQ(out.data.num_classes, 4);
  EXPECT_EQ(out.data.class_names, trained.class_names);
  EXPECT_TRUE(out.notes.empty());
  // A class that no node is of need not be known.
  EXPECT_EQ(matched(trained, ring({2, 0}, {"cedar", "elm", "ash"})),
            (Labels{0, 2}));
  EXPECT_FALSE(has_classes_of(trained, ring({0, 1}, {"date", "beech"})));
  EXPECT_TRUE(has_classes_of(trained, out.data));
}

TEST(MatchClasses, NamesThatAreNumbersInOrderAreTheNumbers) {
  const Trained plain = model_of({}, 3);
  EXPECT_EQ(matched(plain, ring({2, 0, 1}, {})), (Labels{2, 0, 1}));
  EXPECT_EQ(matched(plain, ring({2, 0, 1}, {"0", "1", "2"})),
            (Labels{2, 0, 1}));
  // Of the classes 1 and 2 alone the first is 1.
  EXPECT_EQ(matched(plain, ring({1, 0, 1}, {"1", "2"})), (Labels{2, 1, 2}));
  EXPECT_EQ(matched(model_of({"0", "1"}), ring({1, 0, 1}, {})),
            (Labels{1, 0, 1}));
}

TEST(MatchClasses, NumbersMeetCodesByTheirText) {
  const Trained coded = model_of({"1", "2"});
  EXPECT_EQ(matched(coded, ring({2, 1, -1}, {})), (Labels{1, 0, -1}));
  EXPECT_TRUE(contains(error_of([&] {
                         matched(coded, ring({0, 1}, {}));
                       }),
                       "is of class '0'"));
}

TEST(MatchClasses, NumbersForNamesAreTakenInOrderAndSaidSo) {
  const Trained trained = model_of({"red", "green"});
  const FoundData out = match_classes(trained, ring({1, 0}, {}));
  EXPECT_EQ(labels_of(out.data), (Labels{1, 0}));
  ASSERT_EQ(out.notes.size(), 1u);
  EXPECT_TRUE(contains(out.notes[0], "0 is taken as the first class"));
  EXPECT_TRUE(contains(out.notes[0], "'red'"));
  EXPECT_TRUE(match_classes(trained, ring({-1, -1}, {})).notes.empty());
}

TEST(MatchClasses, AnUnknownClassIsNamedWithANodeOrLeftOutAndCounted) {
  const Trained trained = model_of({"red", "green"});
  const NodeDataset data = ring({0, 1, 2, 1}, {"red", "grean", "blue"},
                                {"anna", "bert", "carl", "dora"});
  const std::string message = error_of(
      [&] { match_classes(trained, data, UnknownClasses::refuse, "m.file"); });
  EXPECT_TRUE(contains(message, "m.file: was trained on 2 classes"));
  EXPECT_TRUE(contains(message, "(red, green)"));
  EXPECT_TRUE(contains(message, "node 'bert' of 'ring' is of class 'grean'"));
  EXPECT_TRUE(contains(message, "did you mean 'green'?"));
  EXPECT_TRUE(contains(message, "3 nodes are of classes"));
  EXPECT_TRUE(contains(message, "--unknown-classes ignore"));
  EXPECT_EQ(error_of([&] { require_fit(trained, data, "m.file"); }), message);
  const FoundData out = match_classes(trained, data, UnknownClasses::ignore);
  EXPECT_EQ(labels_of(out.data), (Labels{0, -1, -1, -1}));
  ASSERT_EQ(out.notes.size(), 1u);
  EXPECT_TRUE(contains(out.notes[0], "3 nodes of 'ring'"));
  EXPECT_TRUE(contains(out.notes[0], "grean, blue"));
}

TEST(MatchClasses, TwoClassesOfOneNameAreNotGuessed) {
  const Trained trained = model_of({"a", "a", "b"});
  EXPECT_EQ(matched(trained, ring({1, 0, 2}, {"a", "a", "b"})),
            (Labels{1, 0, 2}));
  EXPECT_EQ(matched(trained, ring({0, 0}, {"b"})), (Labels{2, 2}));
  EXPECT_TRUE(contains(error_of([&] {
                         matched(trained, ring({1, 0}, {"b", "a"}));
                       }),
                       "two classes called 'a'"));
}

TEST(MatchClasses, LongListsOfClassesAreCut) {
  Names names;
  for (int64_t c = 0; c < 30; ++c) names.push_back(fmt::format("class-{}", c));
  EXPECT_TRUE(contains(class_list(names, 30), "class-9 and 20 more"));
  EXPECT_EQ(class_list({}, 7), "0 to 6");
}

// The same nodes, their classes counted from the other end.
NodeDataset turned(const NodeDataset& data) {
  NodeDataset out = data;
  out.labels = torch::where(data.labels.ge(0),
                            data.num_classes - 1 - data.labels, data.labels);
  out.class_names = Names(data.class_names.rbegin(), data.class_names.rend());
  return out;
}

TEST(MatchClasses, WhatReadsLabelsIsToldTheModelsOwn) {
  RunOptions options = tiny_run();
  NodeDataset data = load_dataset(options.data);
  data.class_names = {"x", "y", "z"};
  const auto check = [&](const RunOptions& run) {
    const Trained trained = train(data, 0, run);
    const at::Tensor expected = predict(trained, data).logits;
    EXPECT_TRUE(torch::equal(predict(trained, turned(data)).logits, expected))
        << run.model;
    NodeDataset nameless = turned(data);
    nameless.class_names.clear();
    EXPECT_FALSE(torch::equal(predict(trained, nameless).logits, expected))
        << run.model;
  };
  options.model = "mlp";
  options.correct_smooth.enabled = true;
  check(options);
  RunOptions reader = default_options("label_propagation");
  reader.train.epochs = 1;
  check(reader);
}

class RenamedClasses : public testing::Test {
 protected:
  RenamedClasses() {
    data_.class_names = {"x", "y", "z"};
    hooks_.folder = dir_.path();
    hooks_.resume = true;
  }
  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
  TrainHooks hooks_;
};

TEST_F(RenamedClasses, AreRefusedByAFinishedRun) {
  train(data_, 0, options_, hooks_);
  EXPECT_EQ(train(data_, 0, options_, hooks_).class_names, data_.class_names);
  data_.class_names = {"y", "x", "z"};
  const std::string message =
      error_of([&] { train(data_, 0, options_, hooks_); });
  EXPECT_TRUE(contains(message, "was trained on the classes x, y, z"));
  EXPECT_TRUE(contains(message, "now y, x, z"));
}

TEST_F(RenamedClasses, AreRefusedByAStoppedRun) {
  options_.train.save_seconds = 0;
  hooks_.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 5) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(train(data_, 0, options_, hooks_), std::runtime_error);
  hooks_.on_epoch = nullptr;
  data_.class_names.clear();
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, options_, hooks_); }),
                       "state.safetensors: was trained on the classes"));
}

}  // namespace
}  // namespace ordered_gnn::training
