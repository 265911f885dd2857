#include "ordered_gnn/train/calibration.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

at::Tensor all_nodes(int64_t count) {
  return torch::arange(count, torch::kLong);
}

// `right` nodes of class 1 and `wrong` nodes of class 0, all with the logits
// (0, gap).
struct TwoClasses {
  TwoClasses(int64_t right, int64_t wrong, double gap)
      : logits(torch::zeros({right + wrong, 2})),
        labels(torch::cat({torch::ones({right}, torch::kLong),
                           torch::zeros({wrong}, torch::kLong)})),
        nodes(all_nodes(right + wrong)) {
    logits.select(1, 1).fill_(gap);
  }
  Temperature fit() const { return fit_temperature(logits, labels, nodes); }
  at::Tensor logits, labels, nodes;
};

TEST(FitTemperature, MakesConfidenceTheShareThatIsRight) {
  // The best probability of class 1 is 3/4: gap / T = log 3.
  for (const double gap : {1e-3, 0.5, 4.0, 300.0}) {
    const Temperature fitted = TwoClasses(6, 2, gap).fit();
    EXPECT_TRUE(fitted.is_fitted);
    EXPECT_EQ(fitted.nodes, 8);
    const double exact = static_cast<float>(gap) / std::log(3.0);
    EXPECT_NEAR(fitted.value / exact, 1, 1e-9) << gap;
    const double entropy = -0.75 * std::log(0.75) - 0.25 * std::log(0.25);
    EXPECT_NEAR(fitted.loss_after, entropy, 1e-9) << gap;
    EXPECT_GE(fitted.loss_before, fitted.loss_after);
    const at::Tensor p =
        scaled_probabilities(TwoClasses(6, 2, gap).logits, fitted.value);
    EXPECT_NEAR(p[0][1].item<double>(), 0.75, 1e-6) << gap;
  }
}

// The least loss over a fine grid of temperatures, by the definition.
double best_on_grid(const at::Tensor& logits, const at::Tensor& labels) {
  double best = 1e9;
  for (double log_t = -5; log_t < 5; log_t += 1e-3) {
    const at::Tensor z = logits.to(torch::kDouble) / std::exp(log_t);
    const double loss = -torch::log_softmax(z, 1)
                             .gather(1, labels.unsqueeze(1))
                             .mean()
                             .item<double>();
    best = std::min(best, loss);
  }
  return best;
}

TEST(FitTemperature, IsAtTheLeastLossForManyClasses) {
  torch::manual_seed(3);
  for (const double scale : {0.2, 1.0, 9.0}) {
    const at::Tensor labels = torch::randint(5, {200}, torch::kLong);
    const at::Tensor logits =
        (torch::randn({200, 5}) + 1.5 * torch::one_hot(labels, 5)) * scale;
    const Temperature fitted = fit_temperature(logits, labels, all_nodes(200));
    const double grid = best_on_grid(logits, labels);
    EXPECT_LE(fitted.loss_after, grid + 1e-9) << scale;
    EXPECT_NEAR(fitted.loss_after, grid, 1e-5) << scale;
  }
}

TEST(FitTemperature, CountsLabelledNodesOfTheListAlone) {
  TwoClasses two(6, 2, 3.0);
  const double expected = two.fit().value;
  const at::Tensor more = torch::cat({two.logits, torch::full({4, 2}, 1e6)});
  const at::Tensor labels =
      torch::cat({two.labels, torch::tensor({-1, -1, 0, 1}, torch::kLong)});
  const Temperature fitted = fit_temperature(more, labels, all_nodes(10));
  EXPECT_EQ(fitted.nodes, 8);
  EXPECT_DOUBLE_EQ(fitted.value, expected);
}

TEST(FitTemperature, WithoutAMistakeThereIsNothingToFit) {
  const Temperature fitted = TwoClasses(5, 0, 2.0).fit();
  EXPECT_FALSE(fitted.is_fitted);
  EXPECT_EQ(fitted.value, 1);
  EXPECT_EQ(fitted.loss_before, fitted.loss_after);
  EXPECT_NEAR(fitted.loss_before, std::log1p(std::exp(-2.0)), 1e-12);
  EXPECT_FALSE(TwoClasses(1, 1, 0.0).fit().is_fitted);
}

TEST(FitTemperature, AModelWorseThanGuessingBecomesUnsure) {
  const TwoClasses wrong(1, 5, 2.0);
  const Temperature fitted = wrong.fit();
  EXPECT_TRUE(fitted.is_fitted);
  EXPECT_NEAR(
      scaled_probabilities(wrong.logits, fitted.value)[0][1].item<double>(),
      0.5, 1e-4);
  EXPECT_LT(fitted.loss_after, fitted.loss_before);
}

TEST(FitTemperature, KeepsTheMostProbableClass) {
  torch::manual_seed(4);
  const at::Tensor logits = torch::randn({300, 4}) * 30;
  for (const double t : {0.05, 0.7, 3.0, 40.0}) {
    EXPECT_TRUE(torch::equal(scaled_probabilities(logits, t).argmax(1),
                             logits.argmax(1)))
        << t;
    EXPECT_TRUE(torch::allclose(scaled_probabilities(logits, t).sum(1),
                                torch::ones({300})));
  }
}

TEST(FitTemperature, GivesTheSameBitsForAnyNumberOfThreads) {
  torch::manual_seed(5);
  const at::Tensor labels = torch::randint(3, {5000}, torch::kLong);
  const at::Tensor logits = torch::randn({5000, 3});
  std::vector<double> values;
  for (const int threads : {1, 2, 5}) {
    const ThreadScope scope(threads);
    values.push_back(fit_temperature(logits, labels, all_nodes(5000)).value);
    values.push_back(brier_score(logits.softmax(1), labels, all_nodes(5000)));
  }
  for (size_t i = 2; i < values.size(); ++i) {
    EXPECT_EQ(values[i], values[i % 2]);
  }
}

TEST(FitTemperature, RefusesWhatItCannotRead) {
  TwoClasses two(3, 1, 1.0);
  EXPECT_TRUE(contains(error_of([&] {
                         fit_temperature(two.logits,
                                         torch::full({4}, -1, torch::kLong),
                                         two.nodes);
                       }),
                       "none of the 4 nodes"));
  two.logits[2][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(contains(error_of([&] { two.fit(); }), "logits of node 2"));
}

TEST(BrierScore, IsTheSquaredDistanceFromTheTruth) {
  const at::Tensor p = torch::tensor(
      {{0.5, 0.3, 0.2}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.2, 0.2, 0.6}});
  const at::Tensor labels = torch::tensor({1, 0, 2, -1}, torch::kLong);
  // 0.25 + 0.49 + 0.04, 0 and 2.
  EXPECT_NEAR(brier_score(p, labels, all_nodes(4)), (0.78 + 0 + 2) / 3, 1e-6);
  EXPECT_TRUE(
      std::isnan(brier_score(p, labels, torch::tensor({3}, torch::kLong))));
}

}  // namespace
}  // namespace ordered_gnn
