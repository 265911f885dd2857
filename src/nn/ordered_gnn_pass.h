#pragma once
#include "nn/execution_plan.h"
#include "nn/split_directions.h"
#include "ordered_gnn/nn/ordered_gnn.h"

namespace ordered_gnn {

/// What stays the same over the layers of one forward pass.
struct OrderedGnn::Pass {
  Graph graph;  // shared: backward may outlive the caller's
  ForwardContext context;
  ForwardTrace* trace;
  nn::ExecutionPlan plan;
  AggregateScales scales;   // when layers are fused
  nn::SplitMessages split;  // when directions are
};

}  // namespace ordered_gnn
