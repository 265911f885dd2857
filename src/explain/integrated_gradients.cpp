#include "explain/integrated_gradients.h"

#include <torch/types.h>

#include "explain/log_odds.h"

namespace ordered_gnn::explain {

at::Tensor NodeQuestion::logits(const NodeFeatures& features) const {
  return model_.forward(part_.graph, features, context_).narrow(0, place_, 1);
}

at::Tensor NodeQuestion::gradient(const FeaturePoint& point,
                                  int64_t of_class) const {
  const at::AutoGradMode with_gradients(true);
  const at::Tensor answer =
      log_odds(logits(point.features), torch::tensor({of_class}, at::kLong));
  return gradient_at(point, answer.sum());
}

at::Tensor integrated_gradients(const NodeQuestion& question,
                                const FeaturePath& path, int64_t of_class,
                                int64_t steps) {
  const auto end_of = [steps](int64_t step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    return share * share;
  };
  at::Tensor mean;
  for (int64_t s = 0; s < steps; ++s) {
    const double from = end_of(s), to = end_of(s + 1);
    const at::Tensor gradient =
        question.gradient(path.at((from + to) / 2), of_class);
    if (!gradient.defined()) return {};
    if (!mean.defined()) mean = at::zeros(gradient.sizes(), at::kDouble);
    mean.add_(gradient.to(at::kDouble), to - from);
  }
  return path.difference() * mean;
}

}  // namespace ordered_gnn::explain
