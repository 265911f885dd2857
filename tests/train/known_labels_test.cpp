#include "train/known_labels.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "train/train_step.h"

namespace ordered_gnn::training {
namespace {

KnownLabels many_labels(int64_t n) {
  return {torch::arange(n, at::kLong) * 3,
          torch::arange(n, at::kLong).remainder(4)};
}

TEST(ShareLabels, EveryLabelIsEitherToldOrAskedFor) {
  const KnownLabels all = many_labels(101);
  const SharedLabels shared = share_labels(all, 0.6, {1, 2, 3});
  EXPECT_EQ(shared.told.nodes.numel(), 60);
  EXPECT_EQ(shared.asked.nodes.numel(), 41);
  const at::Tensor nodes = at::cat({shared.told.nodes, shared.asked.nodes});
  EXPECT_TRUE(torch::equal(std::get<0>(nodes.sort()), all.nodes));
  const at::Tensor labels = at::cat({shared.told.labels, shared.asked.labels});
  EXPECT_TRUE(torch::equal(labels, (nodes / 3).to(at::kLong).remainder(4)));
}

TEST(ShareLabels, AStepAlwaysDrawsTheSameAndAnotherStepOthers) {
  const KnownLabels all = many_labels(50);
  const auto told = [&](int64_t step) {
    return share_labels(all, 0.5, {7, step, 3}).told.nodes;
  };
  EXPECT_TRUE(torch::equal(told(1), told(1)));
  EXPECT_FALSE(torch::equal(told(1), told(2)));
}

TEST(ShareLabels, EveryNodeIsToldAboutAsOftenAsTheRateSays) {
  const KnownLabels all = many_labels(20);
  at::Tensor count = torch::zeros({60});
  for (int64_t step = 0; step < 400; ++step) {
    const at::Tensor nodes = share_labels(all, 0.25, {7, step, 3}).told.nodes;
    count.index_add_(0, nodes, torch::ones({nodes.numel()}));
  }
  const at::Tensor told = count.index_select(0, all.nodes);
  // 100 expected with a deviation below 9.
  EXPECT_GT(told.min().item<double>(), 60);
  EXPECT_LT(told.max().item<double>(), 140);
}

TEST(ShareLabels, SomethingIsAskedForUnlessAllIsToldOnPurpose) {
  const KnownLabels one = many_labels(1);
  EXPECT_EQ(share_labels(one, 0.99, {}).told.nodes.numel(), 0);
  EXPECT_EQ(share_labels(one, 0.99, {}).asked.nodes.numel(), 1);
  EXPECT_EQ(share_labels(many_labels(9), 0, {}).told.nodes.numel(), 0);
  const SharedLabels all = share_labels(many_labels(9), 1, {});
  EXPECT_EQ(all.told.nodes.numel(), 9);
  EXPECT_EQ(all.asked.nodes.numel(), 9);
}

class LabelReaders : public testing::TestWithParam<const char*> {
 protected:
  LabelReaders() {
    options_.model = GetParam();
    options_.network.hidden = 16;
    options_.network.heads = 2;
    model_ = create_model(options_.model,
                          {data_.features.num_features(), data_.num_classes,
                           data_.features.kind(), data_.num_nodes()},
                          options_.network, 1);
  }

  // The data with other labels where `nodes` are.
  NodeDataset relabelled(const at::Tensor& nodes) const {
    NodeDataset out = data_;
    out.labels = data_.labels.clone();
    const at::Tensor next =
        (data_.labels.index_select(0, nodes) + 1).remainder(data_.num_classes);
    out.labels.index_copy_(0, nodes, next);
    return out;
  }

  NodeDataset with_other_scored_labels() const {
    const Split& split = data_.splits[0];
    return relabelled(at::cat({split.val, split.test}));
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  std::shared_ptr<NodeModel> model_;
};

TEST_P(LabelReaders, LabelsToBePredictedDoNotShowInPredictions) {
  const at::Tensor logits = predict(*model_, data_).logits;
  EXPECT_TRUE(torch::equal(predict(*model_, with_other_scored_labels()).logits,
                           logits));
  const NodeDataset other = relabelled(data_.splits[0].train);
  EXPECT_FALSE(torch::equal(predict(*model_, other).logits, logits));
}

TEST_P(LabelReaders, LabelsToBePredictedDoNotShowInTraining) {
  const NodeDataset other = with_other_scored_labels();
  TrainStep step(*model_, data_, data_.splits[0], options_.train);
  TrainStep other_step(*model_, other, other.splits[0], options_.train);
  EXPECT_TRUE(torch::equal(step.loss(3), other_step.loss(3)));
  ASSERT_NE(step.evaluation().known, nullptr);
  EXPECT_TRUE(
      torch::equal(step.evaluation().known->nodes, data_.splits[0].train));
}

TEST_P(LabelReaders, NeedASplitWithLabels) {
  NodeDataset data = data_;
  PredictionOptions options;
  options.split = 3;
  EXPECT_TRUE(contains(error_of([&] { predict(*model_, data, options); }),
                       "has 3 splits and no split 3"));
  data.labels = at::full_like(data.labels, -1);
  EXPECT_TRUE(contains(error_of([&] { predict(*model_, data); }),
                       "split 0 of 'csbm' has none"));
}

INSTANTIATE_TEST_SUITE_P(Models, LabelReaders,
                         testing::Values("unimp", "label_propagation"));

TEST(UniMpTraining, TheLossIsOnLabelsThatAreNotTold) {
  RunOptions options = tiny_run();
  const NodeDataset data = load_dataset(options.data);
  options.network.label_rate = 0.5;
  options.network.heads = 2;
  options.network.dropout_theta = options.network.dropout_xi = 0;
  options.model = "unimp";
  const auto model = model_for(data, options);
  TrainStep step(*model, data, data.splits[0], options.train);
  const double before = step.loss(1).item<double>();
  // Embeddings as large as these give away every label that is told.
  {
    const torch::NoGradGuard no_grad;
    model->named_parameters()["label.weight"].mul_(30);
  }
  EXPECT_NE(step.loss(1).item<double>(), before);
  EXPECT_NE(step.loss(1).item<double>(), step.loss(2).item<double>());
}

}  // namespace
}  // namespace ordered_gnn::training
