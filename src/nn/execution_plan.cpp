#include "nn/execution_plan.h"

#include <c10/util/Exception.h>

namespace ordered_gnn::nn {
namespace {

Way way_of(const OrderedGnnOptions& options, const PassConditions& conditions,
           bool fuses_layers) {
  if (conditions.for_receivers) {
    TORCH_CHECK(fuses_layers, "only fused layers can work on some rows");
    return Way::receivers;
  }
  // Batch statistics must be counted once, and who sees the states keeps them.
  if (conditions.checkpoint_layers && !conditions.states_are_seen &&
      options.norm != Norm::batch) {
    return Way::recomputed;
  }
  if (!fuses_layers) return Way::composed;
  // A stack saves what backward would keep of every layer; on the CPU, and
  // without a backward to come, there is nothing to save.
  const bool stacked = conditions.on_gpu && conditions.records_gradients &&
                       !conditions.states_are_seen;
  return stacked ? Way::stacked : Way::fused;
}

}  // namespace

bool has_fused_layers(const OrderedGnnOptions& options) {
  const bool ordered =
      options.gating == Gating::ordered || options.gating == Gating::softor;
  return ordered && options.norm == Norm::layer && !options.residual &&
         is_scaled(options.aggregator);
}

ExecutionPlan::ExecutionPlan(const OrderedGnnOptions& options,
                             const PassConditions& conditions)
    : fuses_layers_(conditions.fused && !conditions.weighted &&
                    has_fused_layers(options)),
      way_(way_of(options, conditions, fuses_layers_)) {}

}  // namespace ordered_gnn::nn
