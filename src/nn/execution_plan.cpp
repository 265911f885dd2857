#include "nn/execution_plan.h"

#include <c10/util/Exception.h>

#include "ops/detail/candidate_layer.h"

namespace ordered_gnn::nn {
namespace {

bool is_ordered(const OrderedGnnOptions& options) {
  return options.gating == Gating::ordered || options.gating == Gating::softor;
}

Way way_of(const OrderedGnnOptions& options, const PassConditions& conditions,
           bool fuses_layers) {
  if (conditions.for_receivers) {
    TORCH_CHECK(fuses_layers && has_fused_layers(options),
                "only fused layers can work on some rows");
    return Way::receivers;
  }
  // Batch statistics must be counted once, and who sees the states keeps them.
  if (conditions.checkpoint_layers && !conditions.states_are_seen &&
      !has_batch_statistics(options)) {
    return Way::recomputed;
  }
  if (!fuses_layers) return Way::composed;
  // A stack saves what backward would keep of every layer; on the CPU, and
  // without a backward to come, there is nothing to save. It fetches no rows.
  const bool stacked = has_fused_layers(options) && conditions.on_gpu &&
                       conditions.records_gradients &&
                       !conditions.states_are_seen && !conditions.of_part;
  return stacked ? Way::stacked : Way::fused;
}

}  // namespace

bool has_batch_statistics(const OrderedGnnOptions& options) {
  return options.norm == Norm::batch || (options.transform != Transform::none &&
                                         options.candidate_norm == Norm::batch);
}

bool has_fused_layers(const OrderedGnnOptions& options) {
  return is_ordered(options) && options.norm == Norm::layer &&
         !options.residual && options.transform == Transform::none &&
         options.directions == Directions::joint &&
         is_scaled(options.aggregator);
}

bool has_candidate_layers(const OrderedGnnOptions& options) {
  return is_ordered(options) && options.transform == Transform::linear &&
         !options.residual && options.directions == Directions::joint &&
         is_scaled(options.aggregator);
}

ExecutionPlan::ExecutionPlan(const OrderedGnnOptions& options,
                             const PassConditions& conditions)
    : fuses_layers_(
          conditions.fused && !conditions.weighted &&
          (has_fused_layers(options) ||
           (has_candidate_layers(options) &&
            (!conditions.on_gpu || (options.hidden <= detail::kWidestOnGpu &&
                                    !conditions.of_part))))),
      way_(way_of(options, conditions, fuses_layers_)) {}

}  // namespace ordered_gnn::nn
