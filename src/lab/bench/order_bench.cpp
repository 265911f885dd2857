#include "lab/bench/order_bench.h"

#include <ATen/Functions.h>
#include <torch/types.h>

#include <chrono>

#include "lab/bench/median.h"
#include "lab/runs/run_order.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "scale/parts/assign.h"

namespace ordered_gnn::lab {
namespace {

using OrderClock = std::chrono::steady_clock;

double seconds_since(OrderClock::time_point start) {
  return std::chrono::duration<double>(OrderClock::now() - start).count();
}

int64_t width_of_rows(int64_t nodes) {
  constexpr int64_t kWide = 256, kNarrow = 64;
  const auto bytes = [nodes](int64_t width) {
    return 2 * nodes * width * static_cast<int64_t>(sizeof(float));
  };
  const int64_t width =
      2 * bytes(kWide) > memory_left(2 * bytes(kWide)).bytes ? kNarrow : kWide;
  require_memory(bytes(width), "the graph", "timing sums over neighbours");
  return width;
}

// A dataset that has nothing but its graph.
NodeDataset only_graph(const Graph& graph) {
  NodeDataset data;
  data.name = "graph";
  data.graph = graph;
  data.features = NodeFeatures::identity(graph.num_nodes());
  data.labels = at::zeros({graph.num_nodes()}, at::kLong);
  return data;
}

struct OrderUnderTest {
  OrderTime time;
  Graph graph;
  std::vector<double> ms;
};

OrderUnderTest in_order(const NodeDataset& data, NodeOrder order) {
  OrderUnderTest out;
  out.time.order = order;
  out.graph = data.graph;
  if (order == NodeOrder::none) return out;
  const auto start = OrderClock::now();
  out.graph = reordered(data, order_of_nodes(data, order)).graph;
  out.time.seconds_made = seconds_since(start);
  return out;
}

}  // namespace

OrderBench bench_orders(const Graph& graph, int64_t repeats) {
  const torch::NoGradGuard no_grad;
  OrderBench out;
  out.width = width_of_rows(graph.num_nodes());
  const NodeDataset data = only_graph(graph);
  std::vector<OrderUnderTest> tested;
  for (const NodeOrder order :
       {NodeOrder::none, NodeOrder::degree, NodeOrder::rcm, NodeOrder::metis}) {
    if (order == NodeOrder::metis && !scale::has_metis()) continue;
    tested.push_back(in_order(data, order));
  }
  const at::Tensor rows = at::ones({graph.num_nodes(), out.width}, at::kFloat);
  // The first round only brings memory into place.
  for (int64_t i = -1; i < repeats; ++i) {
    for (OrderUnderTest& one : tested) {
      const auto start = OrderClock::now();
      mean_aggregate(one.graph, rows);
      if (i >= 0) one.ms.push_back(1e3 * seconds_since(start));
    }
  }
  for (OrderUnderTest& one : tested) {
    one.time.ms_gather = median(one.ms);
    out.orders.push_back(one.time);
  }
  return out;
}

}  // namespace ordered_gnn::lab
