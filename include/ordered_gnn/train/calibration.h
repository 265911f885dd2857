#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

namespace ordered_gnn {

/// A temperature T > 0 for the logits z of a model, fitted on some nodes:
/// probabilities are softmax(z / T). T above 1 makes a model less sure of
/// itself; which class is the most probable does not change.
struct Temperature {
  double value = 1;
  int64_t nodes = 0;       ///< labelled nodes it was fitted on
  double loss_before = 0;  ///< their mean log loss with T = 1
  double loss_after = 0;   ///< and with this T
  /// False when the loss has no minimum over T > 0, because the largest logit
  /// of every node is that of its label: then T stays 1.
  bool is_fitted = true;
};

/// Minimises the mean log loss of the labelled nodes among `nodes` over T,
///
///   L(b) = mean_v( log sum_c exp(b z[v,c]) - b z[v,y(v)] ),   b = 1 / T.
///
/// L is convex in b, so that Newton's method, kept between two bounds by
/// halving, finds the one minimum; in double precision, sums in the order of
/// the nodes. Where L only rises (a model that is worse than guessing) b is
/// 1e-4 over the largest difference of two logits of a node: all classes are
/// then about as probable.
///
/// @param logits  [N, C] on the CPU, C at least 1.
/// @param labels  [N] int64, -1 = unlabelled.  @param nodes  [n] int64.
/// @throws Error when none of the nodes has a label, or naming the node whose
///         logits are not finite.
Temperature fit_temperature(const at::Tensor& logits, const at::Tensor& labels,
                            const at::Tensor& nodes);

/// softmax(logits / T) over the rows, computed in double precision.
/// @return [N, C] float32.
at::Tensor scaled_probabilities(const at::Tensor& logits, double temperature);

/// Brier score: mean over the labelled nodes among `nodes` of
/// sum_c (p[v,c] - [c = y(v)])^2, in [0, 2], 0 is best. NaN without any.
/// @param probabilities  [N, C] on the CPU, rows sum to 1.
double brier_score(const at::Tensor& probabilities, const at::Tensor& labels,
                   const at::Tensor& nodes);

}  // namespace ordered_gnn
