#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/options.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

/// Settings of correct_and_smooth().
struct CorrectSmoothOptions {
  bool enabled = false;
  double alpha1 = 0.8;  ///< of the errors
  double alpha2 = 0.8;  ///< of the predictions
  int64_t hops = 50;    ///< of either propagation
  double scale = 0;     ///< of the errors; 0: chosen by the data
};

/// Their rows in the one table of options, names starting with `cs-` but for
/// the switch `correct-smooth`.
const std::vector<Option<CorrectSmoothOptions>>& correct_smooth_option_table();

/// "Combining Label Propagation and Simple Models Out-performs Graph Neural
/// Networks" (2021), for the predictions of any model. With S the normalised
/// adjacency of gcn_aggregate(), Z the probabilities, T the nodes of `known`
/// and Y their one-hot labels:
///
///   correct: E_0 = Y - Z in the rows of T, else 0
///            E <- alpha1 S E + (1 - alpha1) E_0, `hops` times
///            Z' = Z + s E
///   smooth:  G_0 = Y in the rows of T, else Z'
///            G <- alpha2 S G + (1 - alpha2) G_0, `hops` times
///
/// With scale 0 ("autoscale") row v of s E is E[v] times the mean of |E_0[u]|
/// over T divided by |E[v]|, norms being sums of absolute values, and zeros
/// where no error arrives. With another scale s is that number and the errors
/// of T are set back to E_0 after every step ("FDiff-scale"). The paper may
/// also use labels of validation nodes; here only those of `known` are read.
///
/// @param logits  [N, C], of the model.
/// @return        [N, C] logits whose softmax are the rows of G as shares; see
///                log_shares().
at::Tensor correct_and_smooth(const Graph& graph, const at::Tensor& logits,
                              const KnownLabels& known,
                              const CorrectSmoothOptions& options);

}  // namespace ordered_gnn
