#include "ordered_gnn/explain/gate_statistics.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>

#include "explain/gate_columns.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kNodesPerBlock = 4096;

// Gates as rows of floats on the CPU. Half the memory of doubles, and floats is
// what they are.
at::Tensor checked_gates(const at::Tensor& gates) {
  if (!gates.defined() || gates.dim() != 2 || !gates.is_floating_point()) {
    fail("gates of a layer are a floating-point matrix [N, G], not {}",
         !gates.defined()
             ? "an undefined tensor"
             : fmt::format("{} with {} dimensions",
                           c10::toString(gates.scalar_type()), gates.dim()));
  }
  const at::Tensor rows = gates.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* const value = rows.data_ptr<float>();
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (std::isfinite(value[i])) continue;
    fail(
        "gate {} of node {} is {}; the model has diverged, train it again "
        "with a smaller --lr",
        i % rows.size(1), i / rows.size(1), value[i]);
  }
  return rows;
}

void check_chunk(int64_t chunk) {
  if (chunk < 1) fail("a gate has at least one neuron, not {}", chunk);
}

// Calls body(node, row) for every row, block by block.
template <typename Body>
void for_each_row(const at::Tensor& rows, const Body& body) {
  const float* const value = rows.data_ptr<float>();
  const int64_t gates = rows.size(1);
  parallel_ranges(rows.size(0), kNodesPerBlock,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t v = begin; v < end; ++v) {
                      body(v, value + v * gates);
                    }
                  });
}

at::Tensor splits_of_rows(const at::Tensor& rows) {
  at::Tensor out = at::empty({rows.size(0)}, at::kLong);
  int64_t* const split = out.data_ptr<int64_t>();
  for_each_row(rows, [&](int64_t node, const float* row) {
    int64_t place = 0;
    while (place < rows.size(1) && row[place] >= 0.5f) ++place;
    split[node] = place;
  });
  return out;
}

at::Tensor expectations_of_rows(const at::Tensor& rows, int64_t chunk) {
  at::Tensor out = at::empty({rows.size(0)}, at::kDouble);
  double* const expected = out.data_ptr<double>();
  for_each_row(rows, [&](int64_t node, const float* row) {
    double sum = 0;
    for (int64_t g = 0; g < rows.size(1); ++g) sum += row[g];
    expected[node] = static_cast<double>(chunk) * sum;
  });
  return out;
}

std::vector<float> column_of(const at::Tensor& rows, int64_t gate) {
  const float* const value = rows.data_ptr<float>();
  std::vector<float> column(static_cast<size_t>(rows.size(0)));
  for (size_t v = 0; v < column.size(); ++v) {
    column[v] = value[static_cast<int64_t>(v) * rows.size(1) + gate];
  }
  return column;
}

}  // namespace

GateSummary explain::summarize_gate(const std::vector<float>& column) {
  const auto nodes = static_cast<double>(column.size());
  double sum = 0;
  int64_t open = 0;
  for (const float here : column) {
    sum += here;
    if (here > kSaturatedGate) ++open;
  }
  GateSummary out;
  out.mean = sum / nodes;
  out.saturated = static_cast<double>(open) / nodes;
  out.numbers = five_numbers(column);
  out.tails = box_tails(column, out.numbers);
  return out;
}

LayerGates explain::gates_of_layer(std::vector<GateSummary> gates,
                                   const at::Tensor& splits,
                                   const at::Tensor& expected, int64_t chunk,
                                   int64_t orders) {
  LayerGates out;
  out.gates = std::move(gates);
  for (const GateSummary& gate : out.gates) out.saturated += gate.saturated;
  out.saturated /= static_cast<double>(out.gates.size());
  out.mean_split = static_cast<double>(chunk * orders) *
                   splits.to(at::kDouble).mean().item<double>();
  out.mean_expected_split = expected.mean().item<double>();
  return out;
}

at::Tensor split_points(const at::Tensor& gates) {
  return splits_of_rows(checked_gates(gates));
}

at::Tensor expected_splits(const at::Tensor& gates, int64_t chunk) {
  check_chunk(chunk);
  return expectations_of_rows(checked_gates(gates), chunk);
}

LayerGates describe_gates(const at::Tensor& gates, int64_t chunk,
                          int64_t orders) {
  check_chunk(chunk);
  const at::Tensor rows = checked_gates(gates);
  if (orders < 1 || rows.size(1) % orders != 0) {
    fail("{} gates do not fall into {} orders", rows.size(1), orders);
  }
  if (rows.numel() == 0) {
    fail("gates of {} nodes with {} gates each have no statistics",
         rows.size(0), rows.size(1));
  }
  std::vector<GateSummary> summaries(static_cast<size_t>(rows.size(1)));
  parallel_blocks(rows.size(1), [&](int64_t gate) {
    summaries[static_cast<size_t>(gate)] =
        explain::summarize_gate(column_of(rows, gate));
  });
  return explain::gates_of_layer(
      std::move(summaries),
      splits_of_rows(rows.view({-1, rows.size(1) / orders})),
      expectations_of_rows(rows, chunk), chunk, orders);
}

std::vector<LayerGates> describe_gates(const std::vector<at::Tensor>& gates,
                                       int64_t chunk, int64_t orders) {
  std::vector<LayerGates> out;
  for (const at::Tensor& layer : gates) {
    try {
      out.push_back(describe_gates(layer, chunk, orders));
    } catch (const Error& error) {
      fail("layer {}: {}", out.size() + 1, error.what());
    }
  }
  return out;
}

}  // namespace ordered_gnn
