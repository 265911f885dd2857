#include "ordered_gnn/explain/node_table.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/row_exchange.h"
#include "explain/neighbours.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "train/evaluation_context.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kTableRowsPerBlock = 4096;

// What a pass leaves behind of the layers that went by.
struct PassedLayers {
  int64_t rounds = -1;
  int64_t width = 0;
  int64_t orders = 1;
  // Of layers with gates, [N * orders]: a node's orders one after the other.
  std::vector<at::Tensor> splits;
  std::vector<at::Tensor> open;  // of the same, share of open gates
};

void check_data(NodeModel& model, const NodeDataset& data, int64_t split) {
  bool on_cpu = data.labels.device().is_cpu();
  for (const at::Tensor& parameter : model.parameters()) {
    on_cpu = on_cpu && parameter.device().is_cpu();
  }
  if (!on_cpu) fail("explanations are made on the CPU; move model and data");
  const auto splits = static_cast<int64_t>(data.splits.size());
  if (split >= -1 && split < splits) return;
  fail("dataset {} has {} splits, there is no split {}", data.name, splits,
       split);
}

at::Tensor logits_with_layers(
    NodeModel& model, const NodeDataset& data, int64_t split,
    PassedLayers& passed,
    const std::function<void(const LayerTrace&)>& on_layer) {
  const torch::NoGradGuard no_grad;
  model.eval();
  ForwardTrace trace;
  trace.on_layer = [&](const LayerTrace& layer) {
    passed.rounds = layer.layer;
    passed.width = layer.state.size(1);
    passed.orders = layer.orders;
    if (layer.gate.defined()) {
      passed.splits.push_back(expected_splits(
          layer.gate.reshape({-1, layer.gate.size(1) / layer.orders}),
          layer.state.size(1) / layer.gate.size(1)));
      passed.open.push_back(
          layer.gate.gt(kSaturatedGate).to(at::kFloat).mean(1));
    }
    if (on_layer) on_layer(layer);
  };
  const training::EvaluationContext context(model, data, split);
  return model.forward(data.graph, data.features, context.forward(), &trace)
      .to(at::kFloat)
      .contiguous();
}

// Softmax row by row: the probabilities themselves are not kept.
void fill_predictions(const at::Tensor& logits, NodeTable& table) {
  const int64_t nodes = logits.size(0), classes = logits.size(1);
  const float* const value = logits.data_ptr<float>();
  table.predicted.resize(static_cast<size_t>(nodes));
  table.confidence.resize(static_cast<size_t>(nodes));
  parallel_ranges(nodes, kTableRowsPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const float* const row = value + v * classes;
      const float* const best = std::max_element(row, row + classes);
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c) {
        sum += std::exp(static_cast<double>(row[c]) - *best);
      }
      table.predicted[static_cast<size_t>(v)] = best - row;
      table.confidence[static_cast<size_t>(v)] = static_cast<float>(1 / sum);
    }
  });
  for (size_t v = 0; v < table.confidence.size(); ++v) {
    if (std::isfinite(table.confidence[v])) continue;
    fail(
        "the logits of node {} are not finite; the model has diverged, train "
        "it again with a smaller --lr",
        v);
  }
}

// Of the nodes, and of the halo of a part of a graph.
at::Tensor heard_labels(const Graph& graph, const NodeTable& table) {
  const at::Tensor own = at::empty({table.num_nodes(), 1}, at::kLong);
  std::copy(table.label.begin(), table.label.end(), own.data_ptr<int64_t>());
  if (graph.exchange() == nullptr) return own;
  return graph.exchange()->fetch(own, core::RowExchange::Side::in);
}

void fill_neighbourhoods(const Graph& graph, NodeTable& table) {
  const explain::Neighbours neighbours(graph.in());
  const int64_t nodes = graph.num_nodes();
  const at::Tensor labels = heard_labels(graph, table);
  const int64_t* const label = labels.data_ptr<int64_t>();
  table.degree.resize(static_cast<size_t>(nodes));
  table.homophily.resize(static_cast<size_t>(nodes));
  parallel_ranges(nodes, kTableRowsPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const int64_t own = table.label[static_cast<size_t>(v)];
      int64_t degree = 0, labelled = 0, alike = 0;
      neighbours.for_each(v, [&](int64_t u) {
        const int64_t other = label[u];
        ++degree;
        labelled += other >= 0;
        alike += other >= 0 && other == own;
      });
      table.degree[static_cast<size_t>(v)] = degree;
      table.homophily[static_cast<size_t>(v)] =
          own < 0 || labelled == 0
              ? std::numeric_limits<float>::quiet_NaN()
              : static_cast<float>(static_cast<double>(alike) /
                                   static_cast<double>(labelled));
    }
  });
}

bool is_bare_network(NodeModel& model) {
  const auto* const network = dynamic_cast<const OrderedGnn*>(&model);
  return network != nullptr && network->options().gating == Gating::none;
}

void fill_open_gates(const PassedLayers& passed, NodeTable& table) {
  if (passed.open.empty()) return;
  const at::Tensor open = at::stack(passed.open, /*dim=*/1).contiguous();
  const float* const share = open.data_ptr<float>();
  table.open_gates.assign(share, share + open.numel());
}

// A hop's share of all neurons: the mean of its shares of the orders.
at::Tensor mean_shares(const PassedLayers& passed) {
  const at::Tensor shares =
      hop_shares(passed.splits, passed.width / passed.orders);
  if (passed.orders == 1) return shares;
  return shares.reshape({-1, passed.orders, shares.size(1)})
      .mean(1)
      .contiguous();
}

void fill_shares(NodeModel& model, const PassedLayers& passed,
                 NodeTable& table) {
  table.num_hops = passed.rounds;
  at::Tensor shares;
  if (!passed.splits.empty()) {
    table.share_source = HopShareSource::gates;
    shares = mean_shares(passed);
    // Hops below what the first state tells of own nothing.
    const int64_t below = passed.rounds + 1 - shares.size(1);
    if (below > 0) shares = at::constant_pad_nd(shares, {below, 0});
  } else if (is_bare_network(model)) {
    table.share_source = HopShareSource::last_hop;
    shares = last_hop_shares(table.num_nodes(), passed.rounds);
  } else {
    return;
  }
  const double* const share = shares.data_ptr<double>();
  table.hop_shares.assign(share, share + shares.numel());
}

}  // namespace

std::vector<NodePart> node_parts(const Split& split, int64_t num_nodes) {
  std::vector<NodePart> parts(static_cast<size_t>(num_nodes), NodePart::none);
  const auto mark = [&](const at::Tensor& nodes, NodePart part) {
    if (!nodes.defined()) return;
    const at::Tensor list = nodes.contiguous();
    const int64_t* const node = list.data_ptr<int64_t>();
    for (int64_t i = 0; i < list.numel(); ++i) {
      parts[static_cast<size_t>(node[i])] = part;
    }
  };
  mark(split.train, NodePart::train);
  mark(split.val, NodePart::val);
  mark(split.test, NodePart::test);
  return parts;
}

std::vector<double> NodeTable::shares_of(int64_t node) const {
  if (!has_shares()) return {};
  const auto first = hop_shares.begin() + node * (num_hops + 1);
  return std::vector<double>(first, first + num_hops + 1);
}

NodeTable describe_nodes(
    NodeModel& model, const NodeDataset& data, int64_t split,
    const std::function<void(const LayerTrace&)>& on_layer) {
  check_data(model, data, split);
  PassedLayers passed;
  const at::Tensor logits =
      logits_with_layers(model, data, split, passed, on_layer);
  NodeTable table;
  table.num_classes = logits.size(1);
  const at::Tensor labels = data.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  table.label.assign(label, label + labels.numel());
  fill_predictions(logits, table);
  fill_neighbourhoods(data.graph, table);
  table.part =
      node_parts(split < 0 ? Split{} : data.splits[static_cast<size_t>(split)],
                 data.num_nodes());
  fill_shares(model, passed, table);
  fill_open_gates(passed, table);
  return table;
}

}  // namespace ordered_gnn
