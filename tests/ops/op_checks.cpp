#include "ops/op_checks.h"

#include <ATen/Functions.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/simd.h"
#include "ordered_gnn/core/parallel.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

class RestoreThreads {
 public:
  RestoreThreads() : threads_(num_threads()) {}
  ~RestoreThreads() { set_num_threads(threads_); }

 private:
  int threads_;
};

class RestoreSimdLevel {
 public:
  RestoreSimdLevel() : level_(core::simd_level()) {}
  ~RestoreSimdLevel() { core::force_simd_level(level_); }

 private:
  core::SimdLevel level_;
};

Tensors in_double(const Tensors& inputs) {
  Tensors out;
  for (const at::Tensor& input : inputs) out.push_back(input.to(at::kDouble));
  return out;
}

void expect_all_close(const Tensors& got, const Tensors& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(close_to(got[i], expected[i])) << "result " << i;
  }
}

bool some_require_grad(const Tensors& tensors) {
  for (const at::Tensor& tensor : tensors) {
    if (tensor.requires_grad()) return true;
  }
  return false;
}

}  // namespace

Tensors forward_and_backward(const TensorFunction& f, const Tensors& inputs,
                             bool strided) {
  const auto laid_out = [strided](const at::Tensor& tensor) {
    return strided ? strided_copy(tensor) : tensor.clone();
  };
  Tensors leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(laid_out(input.detach()).requires_grad_());
  }
  Tensors results = f(leaves);
  Tensors directions;
  for (const at::Tensor& output : results) {
    directions.push_back(laid_out(random_tensor(
        output.sizes(), output.scalar_type(), 311 + directions.size())));
  }
  const Tensors gradients =
      torch::autograd::grad(results, leaves, directions, /*retain_graph=*/false,
                            /*create_graph=*/false, /*allow_unused=*/true);
  for (size_t i = 0; i < leaves.size(); ++i) {
    results.push_back(gradients[i].defined() ? gradients[i]
                                             : at::zeros_like(leaves[i]));
  }
  for (at::Tensor& result : results) result = result.detach();
  return results;
}

void expect_matches(const TensorFunction& op, const TensorFunction& reference,
                    const Tensors& inputs) {
  const Tensors got = forward_and_backward(op, inputs);
  for (const at::Tensor& result : got) {
    EXPECT_EQ(result.scalar_type(), inputs[0].scalar_type());
  }
  expect_all_close(got, forward_and_backward(reference, in_double(inputs)));
}

void expect_accepts_strided(const TensorFunction& op, const Tensors& inputs) {
  expect_all_close(forward_and_backward(op, inputs, /*strided=*/true),
                   forward_and_backward(op, inputs));
}

void expect_gradients_flow(const TensorFunction& op, const Tensors& inputs) {
  EXPECT_FALSE(some_require_grad(op(inputs)));
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensors mixed = inputs;
    mixed[i] = inputs[i].detach().clone().requires_grad_();
    EXPECT_TRUE(some_require_grad(op(mixed))) << "input " << i;
    const at::NoGradGuard no_grad;
    EXPECT_FALSE(some_require_grad(op(mixed))) << "input " << i;
  }
}

void expect_absent_is_zeros(const TensorFunction& op, Tensors inputs,
                            size_t place) {
  inputs[place] = at::zeros_like(inputs[place]);
  const auto without = [&](Tensors in) {
    in[place] = at::Tensor();
    return op(in);
  };
  const auto with = [&](Tensors in) {
    in[place] = in[place].detach();
    return op(in);
  };
  const Tensors got = forward_and_backward(without, inputs);
  const Tensors expected = forward_and_backward(with, inputs);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(at::equal(got[i], expected[i])) << "result " << i;
  }
}

void expect_same_bits_for_any_threads(const TensorFunction& op,
                                      const Tensors& inputs) {
  const RestoreThreads restore;
  set_num_threads(1);
  const Tensors expected = forward_and_backward(op, inputs);
  for (const int threads : {2, 5}) {
    set_num_threads(threads);
    const Tensors got = forward_and_backward(op, inputs);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(at::equal(got[i], expected[i]))
          << "result " << i << " with " << threads << " threads";
    }
  }
}

void expect_runs_in_inference_mode(const TensorFunction& op,
                                   const Tensors& inputs) {
  const RestoreThreads restore;
  set_num_threads(3);
  const Tensors expected = op(inputs);
  const c10::InferenceMode inference;
  const Tensors got = op(inputs);
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(at::equal(got[i], expected[i])) << "output " << i;
  }
}

void for_every_simd_level(const std::function<void()>& body) {
  const RestoreSimdLevel restore;
  for (const core::SimdLevel level :
       {core::SimdLevel::baseline, core::SimdLevel::avx2,
        core::SimdLevel::avx512}) {
    if (level > core::best_simd_level()) break;
    SCOPED_TRACE(to_string(level));
    core::force_simd_level(level);
    body();
  }
}

void expect_error(const std::function<void()>& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "accepted; expected an error with: " << part;
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

bool is_registered(const std::string& name) {
  return c10::Dispatcher::singleton()
      .findSchema({"ordered_gnn::" + name, ""})
      .has_value();
}

}  // namespace ordered_gnn
