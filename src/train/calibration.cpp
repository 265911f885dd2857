#include "ordered_gnn/train/calibration.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

// Logits of labelled nodes, less the largest of their row: at most 0.
struct KnownLogits {
  int64_t num_classes = 0;
  std::vector<double> logits;
  std::vector<int64_t> labels;

  size_t size() const { return labels.size(); }
  const double* row(size_t i) const {
    return logits.data() + i * static_cast<size_t>(num_classes);
  }
};

at::Tensor labelled_among(const at::Tensor& labels, const at::Tensor& nodes) {
  return nodes.masked_select(labels.index_select(0, nodes).ge(0));
}

void check_finite(const at::Tensor& rows, const at::Tensor& nodes) {
  const at::Tensor finite = rows.isfinite().all(1);
  if (finite.all().item<bool>()) return;
  const auto first = finite.logical_not().nonzero()[0][0].item<int64_t>();
  fail("the logits of node {} are not finite numbers",
       nodes[first].item<int64_t>());
}

KnownLogits rows_of(const at::Tensor& logits, const at::Tensor& labels,
                    const at::Tensor& nodes) {
  const at::Tensor labelled = labelled_among(labels, nodes);
  at::Tensor rows = logits.index_select(0, labelled).to(at::kDouble);
  check_finite(rows, labelled);
  rows = (rows - rows.amax(1, /*keepdim=*/true)).contiguous();
  const at::Tensor truth = labels.index_select(0, labelled).contiguous();
  KnownLogits out;
  out.num_classes = logits.size(1);
  const auto* const value = rows.data_ptr<double>();
  const auto* const label = truth.data_ptr<int64_t>();
  out.logits.assign(value, value + rows.numel());
  out.labels.assign(label, label + truth.numel());
  return out;
}

// L and its first two derivatives at b.
struct Slope {
  double loss = 0;
  double first = 0;
  double second = 0;
};

Slope slope_at(const KnownLogits& rows, double b) {
  Slope out;
  for (size_t i = 0; i < rows.size(); ++i) {
    const double* const z = rows.row(i);
    double weights = 0, sum = 0, squares = 0;
    for (int64_t c = 0; c < rows.num_classes; ++c) {
      const double weight = std::exp(b * z[c]);
      weights += weight;
      sum += weight * z[c];
      squares += weight * z[c] * z[c];
    }
    const double mean = sum / weights;
    const double own = z[rows.labels[i]];
    out.loss += std::log(weights) - b * own;
    out.first += mean - own;
    out.second += squares / weights - mean * mean;
  }
  const auto count = static_cast<double>(rows.size());
  return {out.loss / count, out.first / count, out.second / count};
}

bool all_are_right(const KnownLogits& rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows.row(i)[rows.labels[i]] < 0) return false;
  }
  return true;
}

// The b at which the slope is 0. There is one: a node that is wrong makes the
// loss rise in the end.
double best_inverse(const KnownLogits& rows) {
  constexpr double kLeast = 1e-4;
  constexpr int kMostSteps = 200;
  const double widest =
      -*std::min_element(rows.logits.begin(), rows.logits.end());
  double low = kLeast / widest;
  if (slope_at(rows, low).first >= 0) return low;
  double high = std::max(1.0, 2 * low);
  while (high < 1e300 && slope_at(rows, high).first < 0) {
    low = high;
    high *= 2;
  }
  double b = 0.5 * (low + high);
  for (int step = 0; step < kMostSteps; ++step) {
    const Slope slope = slope_at(rows, b);
    (slope.first < 0 ? low : high) = b;
    double next = b - slope.first / slope.second;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double moved = std::fabs(next - b);
    b = next;
    if (moved <= 1e-12 * b) break;
  }
  return b;
}

}  // namespace

Temperature fit_temperature(const at::Tensor& logits, const at::Tensor& labels,
                            const at::Tensor& nodes) {
  const ThreadScope threads;
  const KnownLogits rows = rows_of(logits, labels, nodes);
  if (rows.size() == 0) {
    fail("none of the {} nodes to fit a temperature on has a label",
         nodes.numel());
  }
  Temperature out;
  out.nodes = static_cast<int64_t>(rows.size());
  out.loss_before = out.loss_after = slope_at(rows, 1).loss;
  out.is_fitted = !all_are_right(rows);
  if (!out.is_fitted) return out;
  const double b = best_inverse(rows);
  out.value = 1 / b;
  out.loss_after = slope_at(rows, b).loss;
  return out;
}

at::Tensor scaled_probabilities(const at::Tensor& logits, double temperature) {
  const ThreadScope threads;
  return logits.to(at::kDouble).div(temperature).softmax(1).to(at::kFloat);
}

double brier_score(const at::Tensor& probabilities, const at::Tensor& labels,
                   const at::Tensor& nodes) {
  const ThreadScope threads;
  const at::Tensor labelled = labelled_among(labels, nodes);
  if (labelled.numel() == 0) return std::numeric_limits<double>::quiet_NaN();
  const at::Tensor rows =
      probabilities.index_select(0, labelled).to(at::kDouble);
  const at::Tensor own =
      rows.gather(1, labels.index_select(0, labelled).unsqueeze(1)).squeeze(1);
  // sum_c (p_c - [c = y])^2 = sum_c p_c^2 - 2 p_y + 1
  return (rows.square().sum(1) - 2 * own + 1).mean().item<double>();
}

}  // namespace ordered_gnn
