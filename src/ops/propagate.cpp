#include "ordered_gnn/ops/propagate.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn {

at::Tensor propagate(const Graph& graph, const at::Tensor& start,
                     const Propagation& how) {
  const at::Tensor restart = start * how.start_share;
  at::Tensor z = start;
  for (int64_t k = 0; k < how.hops; ++k) {
    z = gcn_aggregate(graph, z) * (1 - how.start_share) + restart;
    if (how.fixed.defined()) z = at::where(how.fixed, start, z);
  }
  return z;
}

}  // namespace ordered_gnn
