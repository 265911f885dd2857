#include "lab/runs/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace ordered_gnn::lab {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// The continued fraction of the incomplete beta function, by Lentz's method.
// Converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr int kMostTerms = 500;
  constexpr double kTiny = 1e-300, kPrecision = 1e-15;
  const auto nonzero = [](double value) {
    return std::fabs(value) < kTiny ? kTiny : value;
  };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    result *= d * c;
    const double odd =
        -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    result *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return result;
}

// I_x(a, b), the share of the beta distribution below x.
double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
               a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

}  // namespace

Statistics describe(const std::vector<double>& values) {
  Statistics out;
  out.count = static_cast<int64_t>(values.size());
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  out.mean = values.empty() ? kNaN : sum / count;
  out.standard_error = kNaN;
  if (values.size() < 2) return out;
  double squares = 0;
  for (const double value : values) {
    squares += (value - out.mean) * (value - out.mean);
  }
  out.deviation = std::sqrt(squares / (count - 1));
  out.standard_error = out.deviation / std::sqrt(count);
  return out;
}

double student_two_sided(double t, int64_t degrees) {
  if (std::isnan(t)) return kNaN;
  const auto freedom = static_cast<double>(degrees);
  return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto p_of = [&](size_t i) {
    return std::isnan(p_values[i]) ? 1.0 : p_values[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return p_of(a) < p_of(b); });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, left * p_of(order[i])));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

std::vector<double> separate_scores(const std::vector<RunScore>& runs) {
  const bool one_split = std::all_of(
      runs.begin(), runs.end(),
      [&](const RunScore& run) { return run.split == runs.front().split; });
  std::map<int64_t, std::vector<double>> together;
  for (const RunScore& run : runs) {
    together[one_split ? run.seed : run.split].push_back(run.score);
  }
  std::vector<double> scores;
  for (const auto& [place, values] : together) {
    // A single value keeps its bits.
    scores.push_back(describe(values).mean);
  }
  return scores;
}

Statistics describe_runs(const std::vector<RunScore>& runs) {
  return describe(separate_scores(runs));
}

PairedComparison compare_runs(const std::vector<RunScore>& a,
                              const std::vector<RunScore>& b) {
  std::map<std::pair<int64_t, int64_t>, double> partner;
  for (const RunScore& run : b) partner[{run.split, run.seed}] = run.score;
  std::vector<RunScore> differences;
  for (const RunScore& run : a) {
    const auto found = partner.find({run.split, run.seed});
    if (found == partner.end()) continue;
    differences.push_back({run.split, run.seed, run.score - found->second});
  }
  PairedComparison out;
  out.difference = describe_runs(differences);
  const double mean = out.difference.mean;
  const double error = out.difference.standard_error;
  if (out.difference.count < 2) return out;
  // All differences alike: none at all, or a certain one.
  out.t = mean == 0 ? 0 : mean / error;
  out.p_value = student_two_sided(out.t, out.difference.count - 1);
  out.inside_noise = !(std::fabs(mean) > 2 * error);
  return out;
}

}  // namespace ordered_gnn::lab
