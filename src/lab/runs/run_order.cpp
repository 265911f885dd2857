#include "lab/runs/run_order.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>

#include "ordered_gnn/core/error.h"
#include "scale/parts/assign.h"

namespace ordered_gnn::lab {
namespace {

// 1024 rows of 256 floats are a megabyte.
constexpr int64_t kNodesOfPart = 1024;

at::Tensor order_by_metis(const NodeDataset& data) {
  if (!scale::has_metis()) {
    throw UsageError(
        "--reorder metis: this build has no METIS; use --reorder rcm, or "
        "install libmetis-dev and build again");
  }
  const int64_t nodes = data.num_nodes();
  const at::Tensor order = at::arange(nodes, at::kLong);
  const int64_t parts = nodes / kNodesOfPart;
  if (parts < 2) return order;
  const scale::Assignment part = scale::assign_parts(data, parts, "metis");
  int64_t* const node = order.data_ptr<int64_t>();
  std::stable_sort(node, node + nodes, [&](int64_t a, int64_t b) {
    return part[static_cast<size_t>(a)] < part[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

at::Tensor order_of_nodes(const NodeDataset& data, NodeOrder order) {
  return order == NodeOrder::metis ? order_by_metis(data)
                                   : node_order(data.graph, order);
}

NodeDataset in_run_order(const NodeDataset& data,
                         const ExecutionOptions& options) {
  if (options.reorder == NodeOrder::none || data.order.defined()) return data;
  return reordered(data, order_of_nodes(data, options.reorder));
}

}  // namespace ordered_gnn::lab
