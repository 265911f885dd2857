#include "ordered_gnn/train/prediction.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/data/registry.h"
#include "support/datasets.h"
#include "support/sanitized.h"

namespace ordered_gnn::training {
namespace {

TEST(Predict, GivesProbabilitiesLabelsAndWhatWasAskedFor) {
  const RunOptions options = tiny_run();
  const NodeDataset data = load_dataset(options.data);
  const auto model = model_for(data, options);
  const Prediction plain = predict(*model, data);
  EXPECT_TRUE(torch::allclose(plain.probabilities.sum(1),
                              torch::ones({data.num_nodes()})));
  EXPECT_TRUE(torch::equal(plain.labels, plain.probabilities.argmax(1)));
  EXPECT_FALSE(plain.logits.requires_grad());
  EXPECT_FALSE(plain.embeddings.defined());
  EXPECT_TRUE(plain.gates.empty());
  const Prediction full = predict(*model, data, {true, true});
  EXPECT_TRUE(torch::equal(full.logits, plain.logits));
  EXPECT_EQ(full.gates.size(), 2u);
  EXPECT_EQ(full.embeddings.size(1), 16);
}

// Large enough for its states to stand out from the rest of the process.
TEST(Predict, StaysWithinTheMemoryItNames) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer holds back memory that is given up";
  }
  RunOptions options = tiny_run();
  options.data.data = "synthetic:csbm?nodes=60000&features=8&degree=4";
  options.network.hidden = 256;
  options.network.layers = 6;
  const NodeDataset data = load_dataset(options.data);
  const auto model = model_for(data, options);
  // As in `ognn`: malloc() would keep more than it gives back.
  use_recycling_allocator();
  if (!reset_peak_memory()) GTEST_SKIP() << "the peak cannot be reset here";
  const int64_t before = resident_memory_bytes();
  predict(*model, data);
  const int64_t taken = peak_memory_bytes() - before;
  const MemoryRange named = prediction_bytes(options, data);
  EXPECT_GT(taken, named.least);
  EXPECT_LE(taken, named.most);
  EXPECT_LT(named.most, taken + taken / 4 + (32 << 20));
}

TEST(CrossEntropy, SkipsUnlabelledNodes) {
  const at::Tensor logits = torch::zeros({3, 4});
  const at::Tensor labels = torch::tensor({1, -1, 2}, at::kLong);
  const at::Tensor all = torch::arange(3, at::kLong);
  EXPECT_NEAR(labelled_loss(logits, labels, all), std::log(4.0), 1e-6);
  EXPECT_TRUE(
      std::isnan(labelled_loss(logits, labels, torch::tensor({1}, at::kLong))));
}

}  // namespace
}  // namespace ordered_gnn::training
