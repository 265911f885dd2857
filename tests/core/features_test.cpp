#include "ordered_gnn/core/features.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

NodeFeatures small_sparse() {
  return NodeFeatures::sparse(
      {torch::tensor({0, 2, 2, 3}, at::kLong),
       torch::tensor({0, 3, 1}, at::kInt), torch::tensor({1.f, 3.f, .5f})},
      4);
}

TEST(NodeFeatures, SparseRowsAndTheirTransposeAgreeWithDense) {
  const NodeFeatures features = small_sparse();
  const at::Tensor want = torch::tensor(
      {{1.f, 0.f, 0.f, 3.f}, {0.f, 0.f, 0.f, 0.f}, {0.f, .5f, 0.f, 0.f}});
  EXPECT_TRUE(torch::equal(features.to_dense(), want));
  const NodeFeatures turned = NodeFeatures::sparse(features.columns(), 3);
  EXPECT_TRUE(torch::equal(turned.to_dense(), want.t()));
}

TEST(NodeFeatures, IdentityIsTheUnitMatrix) {
  const NodeFeatures features = NodeFeatures::identity(5);
  EXPECT_EQ(features.num_features(), 5);
  EXPECT_TRUE(torch::equal(features.to_dense(), torch::eye(5)));
}

TEST(NodeFeatures, NaNAndInfinityAreRefusedWithTheirPlace) {
  at::Tensor values = torch::zeros({3, 4});
  values[2][1] = std::nan("");
  EXPECT_NE(error_of([&] {
              NodeFeatures::dense(values);
            }).find("feature 1 of node 2 is nan"),
            std::string::npos);
  SparseRows rows = small_sparse().rows();
  rows.value = rows.value.clone();
  rows.value[2] = std::numeric_limits<float>::infinity();
  EXPECT_NE(error_of([&] {
              NodeFeatures::sparse(rows, 4);
            }).find("feature 1 of node 2 is inf"),
            std::string::npos);
}

TEST(NodeFeatures, BrokenSparseRowsAreRefused) {
  const SparseRows good = small_sparse().rows();
  SparseRows wide = good;
  EXPECT_NE(error_of([&] { NodeFeatures::sparse(wide, 3); }).find("index 3"),
            std::string::npos);
  SparseRows falling = good;
  falling.col = torch::tensor({3, 0, 1}, at::kInt);
  EXPECT_NE(
      error_of([&] { NodeFeatures::sparse(falling, 4); }).find("must rise"),
      std::string::npos);
  SparseRows backward = good;
  backward.rowptr = torch::tensor({0, 3, 2, 3}, at::kLong);
  EXPECT_NE(error_of([&] {
              NodeFeatures::sparse(backward, 4);
            }).find("ends before it begins"),
            std::string::npos);
  SparseRows escaping = good;
  escaping.rowptr = torch::tensor({0, 2, 9, 3}, at::kLong);
  EXPECT_NE(error_of([&] { NodeFeatures::sparse(escaping, 4); }), "no error");
}

TEST(RowNormalized, SparseAndDenseAgreeAndZeroRowsStayZero) {
  const NodeFeatures sparse = row_normalized(small_sparse());
  const NodeFeatures dense =
      row_normalized(NodeFeatures::dense(small_sparse().to_dense()));
  EXPECT_EQ(sparse.kind(), NodeFeatures::Kind::sparse);
  EXPECT_TRUE(torch::allclose(sparse.to_dense(), dense.to_dense()));
  EXPECT_FLOAT_EQ(sparse.to_dense()[0][3].item<float>(), .75f);
  EXPECT_FLOAT_EQ(sparse.to_dense()[2][1].item<float>(), .5f);
  EXPECT_EQ(sparse.to_dense()[1].sum().item<float>(), 0.f);
}

TEST(RowNormalized, SubtractsTheMinimumOfDenseFeatures) {
  const NodeFeatures features = row_normalized(
      NodeFeatures::dense(torch::tensor({{-1.f, 3.f}, {0.f, 1.f}})));
  EXPECT_TRUE(torch::allclose(features.to_dense(),
                              torch::tensor({{0.f, 1.f}, {1.f / 3, 2.f / 3}})));
}

TEST(RowNormalized, NegativeSparseFeaturesAreRefused) {
  SparseRows rows = small_sparse().rows();
  rows.value = -rows.value;
  EXPECT_NE(error_of([&] {
              row_normalized(NodeFeatures::sparse(rows, 4));
            }).find("raw features"),
            std::string::npos);
}

}  // namespace
}  // namespace ordered_gnn::core
