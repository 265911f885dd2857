#include "ordered_gnn/train/correct_smooth.h"

#include <torch/types.h>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/propagate.h"

namespace ordered_gnn {
namespace {

constexpr double kLeastError = 1e-12;

at::Tensor row_norms(const at::Tensor& rows) {
  return rows.abs().sum(1, /*keepdim=*/true);
}

// s E of the header.
at::Tensor scaled_errors(const Graph& graph, const at::Tensor& start,
                         const at::Tensor& is_known,
                         const CorrectSmoothOptions& options) {
  Propagation how{1 - options.alpha1, options.hops, {}};
  if (options.scale > 0) {
    how.fixed = is_known;
    return propagate(graph, start, how) * options.scale;
  }
  const at::Tensor errors = propagate(graph, start, how);
  const at::Tensor mean = row_norms(start).sum() / is_known.sum().clamp_min(1);
  const at::Tensor norms = row_norms(errors);
  return at::where(norms > kLeastError,
                   errors * (mean / norms.clamp_min(kLeastError)),
                   at::zeros_like(errors));
}

}  // namespace

const std::vector<Option<CorrectSmoothOptions>>& correct_smooth_option_table() {
  using O = CorrectSmoothOptions;
  const char* const kGroup = "Correct & Smooth";
  static const std::vector<Option<O>> table = {
      option<O>(
          "correct-smooth", kGroup, [](O & o) -> auto& { return o.enabled; },
          "correct and smooth the best epoch's predictions with the training "
          "labels (C&S, for any model)"),
      in_range(option<O>(
                   "cs-alpha1", kGroup, [](O & o) -> auto& { return o.alpha1; },
                   "share of the neighbours when errors are spread"),
               0, 1),
      in_range(option<O>(
                   "cs-alpha2", kGroup, [](O & o) -> auto& { return o.alpha2; },
                   "share of the neighbours when predictions are smoothed"),
               0, 1),
      in_range(option<O>(
                   "cs-hops", kGroup, [](O & o) -> auto& { return o.hops; },
                   "steps of either"),
               1, 10000),
      in_range(option<O>(
                   "cs-scale", kGroup, [](O & o) -> auto& { return o.scale; },
                   "factor of the errors; 0 = as large as those of the "
                   "training nodes (autoscale)"),
               0, 1e3),
  };
  return table;
}

at::Tensor correct_and_smooth(const Graph& graph, const at::Tensor& logits,
                              const KnownLabels& known,
                              const CorrectSmoothOptions& options) {
  const torch::NoGradGuard no_grad;
  const at::Tensor z = logits.softmax(1);
  const at::Tensor labels =
      nn::one_hot_labels(&known, z.size(0), z.size(1), z.options());
  const at::Tensor is_known = labels.sum(1, /*keepdim=*/true).gt(0);
  const at::Tensor errors = at::where(is_known, labels - z, at::zeros_like(z));
  const at::Tensor corrected =
      z + scaled_errors(graph, errors, is_known, options);
  const at::Tensor start = at::where(is_known, labels, corrected);
  return nn::log_shares(
      propagate(graph, start, {1 - options.alpha2, options.hops, {}}));
}

}  // namespace ordered_gnn
