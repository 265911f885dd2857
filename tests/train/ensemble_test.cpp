#include "ordered_gnn/train/ensemble.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

class EnsembleTest : public testing::Test {
 protected:
  EnsembleMember member(int64_t seed, const std::string& model = "mlp") {
    RunOptions options = tiny_run();
    options.model = model;
    options.train.seed = seed;
    options.train.epochs = 3;
    const Trained trained = train(data_, 0, options);
    return {trained, prediction_options(trained)};
  }

  NodeDataset data_ = load_dataset(tiny_run().data);
};

TEST_F(EnsembleTest, AnswersByTheMeanOfTheProbabilities) {
  const std::vector<EnsembleMember> members = {
      member(1), member(2, "ordered_gnn"), member(3, "label_propagation")};
  const Prediction together = predict_together(members, data_);
  at::Tensor sum = torch::zeros({data_.num_nodes(), data_.num_classes});
  for (const EnsembleMember& one : members) {
    sum += predict(one.trained, data_, one.options).probabilities;
  }
  EXPECT_TRUE(torch::allclose(together.probabilities, sum / 3, 1e-5, 1e-6));
  EXPECT_TRUE(torch::allclose(together.logits.softmax(1),
                              together.probabilities, 1e-5, 1e-6));
  EXPECT_TRUE(torch::equal(together.labels, together.probabilities.argmax(1)));
  EXPECT_TRUE(together.logits.isfinite().all().item<bool>());
  EXPECT_FALSE(together.embeddings.defined());
}

TEST_F(EnsembleTest, OfOneModelSaysWhatThatSays) {
  const EnsembleMember one = member(1);
  EXPECT_TRUE(torch::allclose(
      predict_together({one}, data_).probabilities,
      predict(one.trained, data_, one.options).probabilities, 1e-5, 1e-6));
}

TEST_F(EnsembleTest, OtherClassesFeaturesAndReadingsAreRefused) {
  const EnsembleMember first = member(1);
  const auto refusal = [&](const auto& change) {
    EnsembleMember other = first;
    change(other.trained);
    return error_of([&] { predict_together({first, other}, data_); });
  };
  EXPECT_EQ(refusal([](Trained&) {}), "");
  EXPECT_TRUE(contains(refusal([](Trained& other) {
                         other.class_names = {"a", "b", "c"};
                       }),
                       "only models of the same classes"));
  EXPECT_TRUE(
      contains(refusal([](Trained& other) { other.shape.num_classes = 4; }),
               "has the classes 0 to 3, the first model 0 to 2"));
  EXPECT_TRUE(
      contains(refusal([](Trained& other) { other.shape.num_features = 9; }),
               "was trained on 9 features, the first model on 8"));
  EXPECT_TRUE(contains(refusal([](Trained& other) {
                         other.options.data.treatment.direction =
                             Direction::reversed;
                       }),
                       "reads its data as --direction reversed"));
}

TEST_F(EnsembleTest, HasNeitherGatesNorEmbeddings) {
  EnsembleMember one = member(1);
  one.options.gates = true;
  EXPECT_TRUE(contains(error_of([&] { predict_together({one}, data_); }),
                       "one by one"));
  EXPECT_TRUE(contains(error_of([&] { predict_together({}, data_); }),
                       "needs a model"));
}

}  // namespace
}  // namespace ordered_gnn::training
