#include "explain/part_layer.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <vector>

#include "core/row_exchange.h"
#include "explain/spread_terms.h"

namespace ordered_gnn::explain {
namespace {

at::Tensor as_tensor(const std::vector<double>& values) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(values.size())}, at::kDouble);
  std::copy(values.begin(), values.end(), out.data_ptr<double>());
  return out;
}

}  // namespace

PartLayer keep_layer(const Graph& part, const LayerTrace& layer) {
  PartLayer out;
  out.layer = layer.layer;
  out.orders = layer.orders;
  // A pass may write the next layer into the same memory.
  out.state = layer.state.detach().to(at::kFloat).contiguous().clone();
  if (layer.gate.defined()) {
    out.gate = layer.gate.detach().to(at::kFloat).contiguous().clone();
  }
  out.norm = as_tensor(row_norms(out.state));
  out.edge_sum = as_tensor(edge_sums(
      part, part.exchange()->fetch(out.state, core::RowExchange::Side::in)));
  return out;
}

}  // namespace ordered_gnn::explain
