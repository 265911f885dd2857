#include "train/class_weights.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/train/run_options.h"
#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

NodeDataset three_classes(const std::vector<std::string>& names) {
  NodeDataset data;
  data.name = "customers";
  data.num_classes = 3;
  data.class_names = names;
  return data;
}

KnownLabels known(const std::vector<int64_t>& labels) {
  const at::Tensor values = torch::tensor(labels, at::kLong);
  return {torch::arange(values.numel(), at::kLong), values};
}

at::Tensor weights_of(const std::string& text,
                      const std::vector<std::string>& names = {},
                      const std::vector<int64_t>& labels = {0, 1, 2}) {
  return class_weights(text, three_classes(names), known(labels));
}

std::string refused(const std::string& text,
                    const std::vector<std::string>& names = {}) {
  return error_of([&] { weights_of(text, names); });
}

TEST(ClassWeights, NoneIsNoTensor) {
  EXPECT_FALSE(weights_of("none").defined());
}

TEST(ClassWeights, BalancedIsNByCTimesTheCount) {
  const at::Tensor weights = weights_of("balanced", {}, {0, 0, 0, 1, 2, 2});
  EXPECT_TRUE(
      torch::allclose(weights, torch::tensor({6 / 9.f, 6 / 3.f, 6 / 6.f})));
  // A class without training nodes is none of the C.
  const at::Tensor two = weights_of("balanced", {}, {0, 0, 0, 1});
  EXPECT_TRUE(torch::allclose(two, torch::tensor({4 / 6.f, 4 / 2.f, 1.f})));
}

TEST(ClassWeights, AreGivenByNameOrNumber) {
  const std::vector<std::string> names = {"stay", "churn", "a:b"};
  EXPECT_TRUE(torch::equal(weights_of("churn:5,stay:0.5", names),
                           torch::tensor({0.5f, 5.f, 1.f})));
  EXPECT_TRUE(torch::equal(weights_of(" churn : 5 , 0:2", names),
                           torch::tensor({2.f, 5.f, 1.f})));
  EXPECT_TRUE(
      torch::equal(weights_of("a:b:3", names), torch::tensor({1.f, 1.f, 3.f})));
  EXPECT_TRUE(torch::equal(weights_of("2:7"), torch::tensor({1.f, 1.f, 7.f})));
}

TEST(ClassWeights, NamesThatAreNumbersAreNoPlaces) {
  const std::vector<std::string> codes = {"1", "2", "1000"};
  EXPECT_TRUE(torch::equal(weights_of("1:4,1000:2", codes),
                           torch::tensor({4.f, 1.f, 2.f})));
  EXPECT_TRUE(contains(refused("0:4", codes), "unknown class '0'"));
}

TEST(ClassWeights, UnknownClassesAreRefusedWithTheNearest) {
  const std::vector<std::string> names = {"stay", "churn", "other"};
  EXPECT_TRUE(contains(refused("chrun:5", names), "did you mean 'churn'?"));
  EXPECT_TRUE(contains(refused("7:5", names), "numbers 0 to 2"));
  EXPECT_TRUE(contains(refused("3:1"), "classes are 0 to 2"));
  EXPECT_TRUE(contains(refused("churn:1,1:2", names), "given twice"));
}

TEST(ClassWeights, AnyOtherFormIsRefusedWhenOptionsAreChecked) {
  for (const char* text : {"", "balance", "a", "a:", "a:0", "a:-1", "a:nan",
                           "a:1,", ":1", "a:1e10", "a:x"}) {
    RunOptions options;
    options.train.class_weights = text;
    EXPECT_TRUE(
        contains(error_of([&] { validate_values(options); }), "churn:5,stay:1"))
        << text;
  }
  RunOptions options;
  for (const char* text : {"none", "balanced", "a:1", "a:0.5,b:2"}) {
    options.train.class_weights = text;
    EXPECT_NO_THROW(validate_values(options));
  }
}

TEST(ClassWeights, ArePartOfWhatARunIsUnlessTheyAreNone) {
  RunOptions options;
  const Json plain = run_identity(options, "x");
  EXPECT_FALSE(plain.contains("class-weights"));
  options.train.class_weights = "balanced";
  EXPECT_EQ(run_identity(options, "x").at("class-weights"), "balanced");
}

}  // namespace
}  // namespace ordered_gnn::training
