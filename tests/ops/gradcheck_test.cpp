#include "support/gradcheck.h"

#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <string>

#include "support/tensors.h"

namespace ordered_gnn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Squares its input and claims a derivative that is wrong in one element.
struct WrongSquare : torch::autograd::Function<WrongSquare> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x) {
    ctx->save_for_backward({x});
    return x * x;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    at::Tensor gradient = 2 * ctx->get_saved_variables()[0] * grads[0];
    gradient.view(-1)[2] *= 1.001;
    return {gradient};
  }
};

TEST(Gradcheck, AcceptsARightGradientOfSeveralOutputs) {
  const TensorFunction f = [](const std::vector<at::Tensor>& in) {
    return std::vector<at::Tensor>{in[0] * in[1], in[0].exp()};
  };
  EXPECT_TRUE(gradients_match(f, {{"a", random_tensor({2, 3}, at::kDouble, 1)},
                                  {"b", random_tensor({3}, at::kDouble, 2)}}));
}

TEST(Gradcheck, NamesTheTensorAndElementOfAWrongGradient) {
  const TensorFunction f = [](const std::vector<at::Tensor>& in) {
    return std::vector<at::Tensor>{in[0] + WrongSquare::apply(in[1])};
  };
  const testing::AssertionResult result =
      gradients_match(f, {{"right", random_tensor({2, 2}, at::kDouble, 1)},
                          {"wrong", random_tensor({2, 2}, at::kDouble, 2)}});
  ASSERT_FALSE(result);
  const std::string message = result.message();
  EXPECT_NE(message.find("gradient of wrong, element 2"), std::string::npos)
      << message;
}

TEST(Gradcheck, AMissingGradientCountsAsZero) {
  const TensorFunction detached = [](const std::vector<at::Tensor>& in) {
    return std::vector<at::Tensor>{in[0] + in[1].detach()};
  };
  EXPECT_FALSE(
      gradients_match(detached, {{"a", random_tensor({2}, at::kDouble, 1)},
                                 {"b", random_tensor({2}, at::kDouble, 2)}}));
}

TEST(Gradcheck, RefusesSinglePrecision) {
  const TensorFunction same = [](const std::vector<at::Tensor>& in) {
    return in;
  };
  EXPECT_FALSE(
      gradients_match(same, {{"a", random_tensor({2}, at::kFloat, 1)}}));
}

}  // namespace
}  // namespace ordered_gnn
