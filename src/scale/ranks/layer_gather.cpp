#include "scale/ranks/layer_gather.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "explain/gate_columns.h"
#include "explain/spread_terms.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

using explain::PartLayer;

template <typename T>
std::vector<T> numbers_of(const at::Tensor& numbers) {
  if (!numbers.defined()) return {};
  const T* const first = numbers.data_ptr<T>();
  return std::vector<T>(first, first + numbers.numel());
}

at::Tensor double_tensor(const std::vector<double>& values) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(values.size())}, at::kDouble);
  std::copy(values.begin(), values.end(), out.data_ptr<double>());
  return out;
}

// The layer of all parts of a rank, and the sums over all nodes that rank 0
// makes of it.
class LayerGather {
 public:
  LayerGather(const NodeGather& gather, const std::vector<PartLayer>& parts)
      : gather_(gather), parts_(parts) {}

  explain::SpreadTerms spread(int64_t edges) {
    explain::SpreadTerms terms;
    terms.edges = edges;
    terms.norm = numbers_of<double>(gather_.rows(own(&PartLayer::norm)));
    explain::require_finite(terms.norm);
    terms.edge_sum =
        numbers_of<double>(gather_.rows(own(&PartLayer::edge_sum)));
    if (gather_.nodes() < 2) return terms;
    const std::vector<double> mean = sum_columns(terms);
    std::vector<at::Tensor> squares;
    for (const PartLayer& part : parts_) {
      squares.push_back(double_tensor(explain::square_gaps(part.state, mean)));
    }
    terms.square = numbers_of<double>(gather_.rows(joined(squares)));
    terms.mean_distance = pair_distance();
    return terms;
  }

  LayerGates gates() {
    const int64_t count = parts_.front().gate.size(1);
    const int64_t orders = parts_.front().orders;
    const int64_t chunk = width() / count;
    std::vector<GateSummary> summaries;
    for (int64_t g = 0; g < count; ++g) {
      const at::Tensor column = gather_.rows(own(&PartLayer::gate, g));
      if (!gather_.is_first()) continue;
      summaries.push_back(explain::summarize_gate(numbers_of<float>(column)));
    }
    std::vector<at::Tensor> splits, expected;
    for (const PartLayer& part : parts_) {
      splits.push_back(split_points(part.gate.reshape({-1, count / orders}))
                           .reshape({-1, orders}));
      expected.push_back(expected_splits(part.gate, chunk));
    }
    const at::Tensor all_splits = gather_.rows(joined(splits));
    const at::Tensor all_expected = gather_.rows(joined(expected));
    if (!gather_.is_first()) return {};
    return explain::gates_of_layer(std::move(summaries),
                                   all_splits.reshape({-1}), all_expected,
                                   chunk, orders);
  }

  int64_t width() const { return parts_.front().state.size(1); }

 private:
  // Rows, or one column of them, of all parts of the rank.
  at::Tensor own(at::Tensor PartLayer::*what, int64_t column = -1) const {
    std::vector<at::Tensor> pieces;
    for (const PartLayer& part : parts_) {
      const at::Tensor& rows = part.*what;
      pieces.push_back(column < 0 ? rows : rows.select(1, column));
    }
    return joined(pieces);
  }

  // Fills the sum of unit rows, and tells all ranks the mean row.
  std::vector<double> sum_columns(explain::SpreadTerms& terms) const {
    std::vector<double> mean(static_cast<size_t>(width()), 0);
    for (int64_t j = 0; j < width(); ++j) {
      const std::vector<float> column =
          numbers_of<float>(gather_.rows(own(&PartLayer::state, j)));
      if (!gather_.is_first()) continue;
      mean[static_cast<size_t>(j)] =
          explain::column_sum(column, [](int64_t) { return 1.0; }) /
          static_cast<double>(gather_.nodes());
      terms.unit_sum.push_back(explain::column_sum(column, [&](int64_t v) {
        return explain::unit_weight(terms.norm[static_cast<size_t>(v)]);
      }));
    }
    at::Tensor shared = double_tensor(mean);
    gather_.group().broadcast(shared);
    return numbers_of<double>(shared);
  }

  double pair_distance() const {
    const NodeGather::Some some = gather_.some_rows(
        own(&PartLayer::state), explain::paired_nodes(gather_.nodes()));
    if (!gather_.is_first()) return 0;
    const float* const value = some.rows.data_ptr<float>();
    const int64_t dim = width();
    return explain::mean_pair_distance(gather_.nodes(), dim, [&](int64_t node) {
      return value + some.place[static_cast<size_t>(node)] * dim;
    });
  }

  const NodeGather& gather_;
  const std::vector<PartLayer>& parts_;
};

}  // namespace

at::Tensor joined(const std::vector<at::Tensor>& rows) {
  return rows.size() == 1 ? rows.front().clone().contiguous() : at::cat(rows);
}

LayerExplanation gather_layer(const NodeGather& gather,
                              const std::vector<PartLayer>& parts,
                              int64_t edges) {
  LayerGather layer(gather, parts);
  LayerExplanation out;
  out.layer = parts.front().layer;
  out.width = layer.width();
  try {
    out.spread = explain::spread_of(layer.spread(edges));
    if (parts.front().gate.defined()) out.gates = layer.gates();
  } catch (const Error& error) {
    fail("layer {}: {}", out.layer, error.what());
  }
  return out;
}

}  // namespace ordered_gnn::scale
