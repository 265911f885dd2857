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
  EXPECT_TRUE(contains(error_of([&] { NodeFeatures::sparse(escaping, 4); }),
                       "sparse feature row 1 ends before it begins"));
  SparseRows negative = good;
  negative.col = torch::tensor({0, -1, 1}, at::kInt);
  EXPECT_TRUE(contains(error_of([&] { NodeFeatures::sparse(negative, 4); }),
                       "node 0 has feature index -1"));
  for (const at::Tensor& rowptr : {torch::tensor({1, 2, 2, 3}, at::kLong),
                                   torch::tensor({0, 2, 2, 4}, at::kLong)}) {
    SparseRows short_of = good;
    short_of.rowptr = rowptr;
    EXPECT_TRUE(contains(error_of([&] { NodeFeatures::sparse(short_of, 4); }),
                         "sparse feature rows must span 0 to 3 entries"));
  }
}

TEST(NodeFeatures, TensorsOfAnotherKindAreRefused) {
  EXPECT_TRUE(
      contains(error_of([] { NodeFeatures::dense(torch::zeros({3})); }),
               "dense features must be [nodes, features] float32, got 1"));
  EXPECT_TRUE(contains(error_of([] {
                         NodeFeatures::dense(torch::zeros({3, 2}, at::kDouble));
                       }),
                       "got 2 dimensions of type Double"));
  const SparseRows good = small_sparse().rows();
  std::vector<SparseRows> broken(7, good);
  broken[0].rowptr = good.rowptr.to(at::kInt);
  broken[1].col = good.col.to(at::kLong);
  broken[2].value = good.value.to(at::kDouble);
  broken[3].rowptr = good.rowptr.unsqueeze(0);
  broken[4].rowptr = torch::empty({0}, at::kLong);
  broken[5].col = good.col.unsqueeze(0);
  broken[6].value = torch::ones({2});
  for (const SparseRows& rows : broken) {
    EXPECT_TRUE(contains(error_of([&] { NodeFeatures::sparse(rows, 4); }),
                         "sparse features need rowptr [N+1] int64"));
  }
  for (const int64_t nodes : {int64_t{-1}, int64_t{1} << 31}) {
    EXPECT_TRUE(contains(error_of([&] { NodeFeatures::identity(nodes); }),
                         "identity features need 0 to 2^31 - 1 nodes"));
  }
}

TEST(NodeFeatures, MovedOnesHaveTheSameValuesInAnotherType) {
  const NodeFeatures sparse = small_sparse();
  for (const NodeFeatures& features :
       {sparse, NodeFeatures::identity(3),
        NodeFeatures::dense(sparse.to_dense())}) {
    EXPECT_EQ(features.scalar_type(), at::kFloat);
    const NodeFeatures moved = features.to(at::kCPU, at::kDouble);
    EXPECT_EQ(moved.kind(), features.kind());
    EXPECT_EQ(moved.num_nodes(), features.num_nodes());
    EXPECT_EQ(moved.num_features(), features.num_features());
    EXPECT_EQ(moved.scalar_type(), at::kDouble);
    if (features.kind() == NodeFeatures::Kind::dense) {
      EXPECT_TRUE(torch::equal(moved.dense_values(),
                               features.dense_values().to(at::kDouble)));
      continue;
    }
    EXPECT_TRUE(torch::equal(moved.columns().value,
                             features.columns().value.to(at::kDouble)));
    EXPECT_TRUE(torch::equal(moved.columns().col, features.columns().col));
  }
  // What is there already is not copied.
  EXPECT_TRUE(sparse.to(at::kCPU, at::kFloat)
                  .rows()
                  .value.is_same(sparse.rows().value));
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

TEST(RowNormalized, FeaturesWithoutANumberStayAsTheyAre) {
  const NodeFeatures identity = NodeFeatures::identity(3);
  EXPECT_TRUE(torch::equal(row_normalized(identity).to_dense(), torch::eye(3)));
  EXPECT_EQ(row_minimum(NodeFeatures::dense(torch::zeros({0, 4}))), 0);
  EXPECT_EQ(row_minimum(identity), 0);
}

}  // namespace
}  // namespace ordered_gnn::core
