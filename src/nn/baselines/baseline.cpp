#include "nn/baselines/baseline.h"

#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

at::Tensor Baseline::forward(const Graph& graph, const NodeFeatures& features,
                             const ForwardContext& context,
                             ForwardTrace* trace) {
  Pass pass{graph, features, context, trace, DropoutSites(context)};
  return run(pass);
}

at::Tensor LinearOutput::classify(const at::Tensor& state) const {
  return linear(state, output_->weight, output_->bias);
}

std::shared_ptr<Affine> first_affine(const ModelPlan& plan, int64_t out) {
  return std::make_shared<Affine>(empty_first_weight(plan.shape, out),
                                  plan.random);
}

std::shared_ptr<Affine> class_affine(const ModelPlan& plan, int64_t width) {
  return std::make_shared<Affine>(width, plan.shape.num_classes, plan.random);
}

void require_two_layers(const char* model, const ModelOptions& options) {
  if (options.layers >= 2) return;
  throw UsageError(fmt::format(
      "{} has a first and a last layer, so --layers must be at least 2",
      model));
}

}  // namespace ordered_gnn::nn
