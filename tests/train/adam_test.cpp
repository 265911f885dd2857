#include "train/adam.h"

#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

at::Tensor leaf(const at::Tensor& value) {
  return value.detach().clone().set_requires_grad(true);
}

at::Tensor toy_loss(const at::Tensor& a, const at::Tensor& b, int step) {
  return (a.matmul(b) - 0.1 * step).square().sum() + b.sin().sum();
}

class AdamTrajectory : public testing::TestWithParam<at::ScalarType> {};

TEST_P(AdamTrajectory, FollowsTorchWithTwoL2Groups) {
  at::manual_seed(1);
  const at::Tensor a0 = torch::randn({3, 4}, GetParam());
  const at::Tensor b0 = torch::randn({4, 2}, GetParam());
  at::Tensor a = leaf(a0), b = leaf(b0), a_torch = leaf(a0), b_torch = leaf(b0);
  Adam ours({{"a", a, 0.05}, {"b", b, 5e-4}});
  std::vector<torch::optim::OptimizerParamGroup> groups;
  const auto group = [&](const at::Tensor& tensor, double l2) {
    groups.emplace_back(std::vector<at::Tensor>{tensor},
                        std::make_unique<torch::optim::AdamOptions>(
                            torch::optim::AdamOptions(0.01).weight_decay(l2)));
  };
  group(a_torch, 0.05);
  group(b_torch, 5e-4);
  torch::optim::Adam theirs(groups, torch::optim::AdamOptions(0.01));
  for (int step = 0; step < 50; ++step) {
    ours.zero_grad();
    toy_loss(a, b, step).backward();
    ours.step(0.01);
    theirs.zero_grad();
    toy_loss(a_torch, b_torch, step).backward();
    theirs.step();
  }
  const double tolerance = GetParam() == at::kDouble ? 1e-12 : 2e-5;
  EXPECT_TRUE(torch::allclose(a, a_torch, tolerance, tolerance));
  EXPECT_TRUE(torch::allclose(b, b_torch, tolerance, tolerance));
}

INSTANTIATE_TEST_SUITE_P(Types, AdamTrajectory,
                         testing::Values(at::kFloat, at::kDouble));

TEST(Adam, UpdatesTransposedParametersElementByElement) {
  at::manual_seed(2);
  const at::Tensor start = torch::randn({5, 3});
  at::Tensor plain = leaf(start);
  at::Tensor turned = torch::empty({3, 5}).t();
  turned.copy_(start);
  turned.set_requires_grad(true);
  Adam a({{"w", plain, 0.1}}), b({{"w", turned, 0.1}});
  const at::Tensor target = torch::randn({5, 3});
  for (int step = 0; step < 5; ++step) {
    a.zero_grad();
    b.zero_grad();
    (plain - target).square().sum().backward();
    (turned - target).square().sum().backward();
    a.step(0.1);
    b.step(0.1);
  }
  EXPECT_TRUE(torch::equal(plain, turned));
}

// L2 moves a parameter whose gradient is 0; one that has not begun stays.
TEST(Adam, AParameterWaitsForItsFirstStepAndBeginsAnewThere) {
  at::Tensor late = leaf(torch::ones({2})), fresh = leaf(torch::ones({2}));
  at::Tensor early = leaf(torch::ones({2}));
  Adam adam({{"early", early, 0.5}, {"late", late, 0.5, /*first_step=*/4}});
  Adam other({{"fresh", fresh, 0.5}});
  for (int step = 1; step <= 8; ++step) {
    adam.zero_grad();
    (early.square().sum() + (step < 4 ? 0.0 : 1.0) * late.square().sum())
        .backward();
    adam.step(0.1);
    EXPECT_LT(early[0].item<float>(), 1);
    if (step < 4) {
      EXPECT_TRUE(torch::equal(late, torch::ones({2})));
      continue;
    }
    other.zero_grad();
    fresh.square().sum().backward();
    other.step(0.1);
    EXPECT_TRUE(torch::equal(late, fresh)) << step;
  }
}

TEST(Adam, AParameterWithoutGradientStaysWhereItIs) {
  at::Tensor used = leaf(torch::ones({2}));
  at::Tensor unused = leaf(torch::ones({2}));
  Adam adam({{"used", used, 0.5}, {"unused", unused, 0.5}});
  used.sum().backward();
  adam.step(0.1);
  EXPECT_TRUE(torch::equal(unused, torch::ones({2})));
  EXPECT_FALSE(torch::equal(used, torch::ones({2})));
}

TEST(Adam, ARestoredStateGoesOnWithTheSameBits) {
  at::manual_seed(3);
  at::Tensor w = leaf(torch::randn({40}));
  Adam adam({{"w", w, 0.01}});
  const auto run = [&](Adam& optimizer, at::Tensor& value, int steps) {
    for (int step = 0; step < steps; ++step) {
      optimizer.zero_grad();
      value.pow(4).sum().backward();
      optimizer.step(0.05);
    }
  };
  run(adam, w, 7);
  at::Tensor copy = leaf(w);
  Adam restored({{"w", copy, 0.01}});
  restored.load_state(adam.state(), adam.steps());
  run(adam, w, 7);
  run(restored, copy, 7);
  EXPECT_TRUE(torch::equal(w, copy));
}

TEST(Adam, AStateThatDoesNotFitIsRefused) {
  at::Tensor w = leaf(torch::ones({3}));
  Adam adam({{"w", w, 0}});
  EXPECT_TRUE(contains(error_of([&] { adam.load_state({}, 1); }), "'m.w'"));
  const std::map<std::string, at::Tensor> wrong = {{"m.w", torch::ones({2})},
                                                   {"v.w", torch::ones({2})}};
  EXPECT_NE(error_of([&] { adam.load_state(wrong, 1); }), "");
}

TEST(Adam, ClippingLimitsTheNormOfAllGradientsTogether) {
  at::Tensor a = leaf(torch::zeros({2}));
  at::Tensor b = leaf(torch::zeros({2}));
  Adam adam({{"a", a, 0}, {"b", b, 0}});
  const auto set_gradients = [&] {
    adam.zero_grad();
    (3 * a.sum() + 4 * b.sum()).backward();
  };
  set_gradients();
  const double norm = adam.gradient_norm();
  EXPECT_NEAR(norm, std::sqrt(2.0 * 9 + 2.0 * 16), 1e-6);
  adam.clip_gradients(1.0);
  EXPECT_NEAR(adam.gradient_norm(), 1.0, 1e-6);
  set_gradients();
  adam.clip_gradients(100.0);
  EXPECT_NEAR(adam.gradient_norm(), norm, 1e-6);
}

TEST(Adam, DoesNotDependOnTheNumberOfThreads) {
  at::manual_seed(4);
  const at::Tensor start = torch::randn({200000});
  std::vector<at::Tensor> results;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    at::Tensor w = leaf(start);
    Adam adam({{"w", w, 0.01}});
    w.square().sum().backward();
    adam.step(0.01);
    results.push_back(w.detach());
  }
  set_num_threads(0);
  EXPECT_TRUE(torch::equal(results[0], results[1]));
}

}  // namespace
}  // namespace ordered_gnn::training
