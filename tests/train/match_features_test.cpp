#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Names = std::vector<std::string>;

NodeDataset with_names(const NodeDataset& data, const Names& names,
                       const std::vector<int64_t>& order) {
  NodeDataset out = data;
  const at::Tensor rows = data.features.to_dense();
  out.features = NodeFeatures::dense(
      rows.index_select(1, torch::tensor(order)).contiguous());
  out.feature_names = names;
  return out;
}

class MatchFeatures : public testing::Test {
 protected:
  MatchFeatures() {
    torch::manual_seed(3);
    const auto node = torch::arange(30, torch::kLong);
    ArrayOptions array;
    array.split_set = "random:40/30/30x1";
    array.treatment.features = Treatment::Features::raw;
    data_ = with_names(
        make_dataset(torch::stack({node, (node + 3) % 30}, 1),
                     torch::randn({30, 3}), node.remainder(3), array),
        {"a", "b", "c"}, {0, 1, 2});
    RunOptions options = default_options("ordered_gnn");
    options.network.layers = 1;
    options.network.hidden = 8;
    options.train.epochs = 3;
    trained_ = train(data_, 0, options);
  }

  NodeDataset data_;
  Trained trained_;
};

TEST_F(MatchFeatures, AreFoundByNameInAnyOrder) {
  const NodeDataset swapped = with_names(data_, {"c", "a", "b"}, {2, 0, 1});
  const Prediction want = predict(trained_, data_);
  EXPECT_TRUE(torch::equal(predict(trained_, swapped).logits, want.logits));
  NodeDataset unnamed = data_;
  unnamed.feature_names.clear();
  EXPECT_TRUE(torch::equal(predict(trained_, unnamed).logits, want.logits));
}

TEST_F(MatchFeatures, MissingAndExtraOnesAreNamed) {
  const NodeDataset other = with_names(data_, {"a", "x", "c"}, {0, 1, 2});
  const std::string message = error_of([&] { predict(trained_, other); });
  EXPECT_TRUE(contains(message, "trained on: 'b'"));
  EXPECT_TRUE(contains(message, "does not know: 'x'"));
  const NodeDataset filled =
      match_features(trained_, other, MissingColumns::fill);
  EXPECT_EQ(filled.feature_names, (Names{"a", "b", "c"}));
  EXPECT_EQ(filled.features.to_dense().select(1, 1).abs().max().item<float>(),
            0);
  const NodeDataset twice = with_names(data_, {"a", "a", "c"}, {0, 1, 2});
  EXPECT_TRUE(contains(error_of([&] { predict(trained_, twice); }),
                       "two features of the data are called 'a'"));
}

TEST_F(MatchFeatures, ATableThatWasTreatedOtherwiseIsRefused) {
  Column column;
  column.name = "a";
  column.num_features = 1;
  trained_.columns = {column};
  NodeDataset other = data_;
  other.columns = {column};
  EXPECT_NO_THROW(predict(trained_, other));
  other.columns[0].mean = 7;
  EXPECT_TRUE(contains(error_of([&] { predict(trained_, other); }),
                       "treated otherwise"));
}

}  // namespace
}  // namespace ordered_gnn
