#include "ops/transposed_product.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ops/op_checks.h"
#include "support/gradcheck.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

Tensors apply_transposed(const Tensors& in) {
  return {ops::transposed_product(in[0], in[1])};
}
Tensors reference_transposed(const Tensors& in) {
  return {in[0].t().matmul(in[1])};
}
Tensors transposed_inputs(int64_t rows, int64_t a, int64_t b,
                          at::ScalarType dtype) {
  return {random_tensor({rows, a}, dtype, 31),
          random_tensor({rows, b}, dtype, 32)};
}

TEST(TransposedProduct, AddsUpOverRowsByHand) {
  const at::Tensor a = torch::tensor({{1.f, 2.f}, {3.f, 4.f}});
  const at::Tensor b = torch::tensor({{10.f}, {100.f}});
  EXPECT_TRUE(torch::equal(ops::transposed_product(a, b),
                           torch::tensor({{310.f}, {420.f}})));
}

TEST(TransposedProduct, MatchesTheReferenceAndItsGradients) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    for (const int64_t width : kWidths) {
      SCOPED_TRACE(width);
      expect_matches(apply_transposed, reference_transposed,
                     transposed_inputs(40, width, 7, dtype));
      expect_matches(apply_transposed, reference_transposed,
                     transposed_inputs(40, 7, width, dtype));
    }
  }
  const Tensors in = transposed_inputs(6, 3, 4, at::kDouble);
  EXPECT_TRUE(gradients_match(apply_transposed, {{"a", in[0]}, {"b", in[1]}}));
}

TEST(TransposedProduct, KeepsWhatEveryOpPromises) {
  const Tensors in = transposed_inputs(3000, 20, 9, at::kFloat);
  expect_accepts_strided(apply_transposed, in);
  expect_gradients_flow(apply_transposed, in);
  expect_same_bits_for_any_threads(apply_transposed, in);
  expect_matches(apply_transposed, reference_transposed,
                 transposed_inputs(0, 3, 4, at::kFloat));
}

TEST(TransposedProduct, RefusesWhatDoesNotFit) {
  const at::Tensor a = torch::ones({3, 2}), b = torch::ones({4, 2});
  expect_error([&] { ops::transposed_product(a, b); },
               "b must be [3, B] to match a");
  expect_error([&] { ops::transposed_product(a, a.to(at::kDouble)); }, "b ");
  expect_error([&] { ops::transposed_product(a[0], a); }, "a must be [N, A]");
}

}  // namespace
}  // namespace ordered_gnn
