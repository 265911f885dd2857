#include "nn/split_directions.h"

#include <ATen/Functions.h>

#include "ops/detail/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

at::Tensor inverse_degree(const Adjacency& lists) {
  return lists.rowptr.diff().clamp_min(1).to(at::kDouble).reciprocal();
}

// Two rows of D/2 for every row of D: ops that work row by row then work half
// by half, without a copy.
at::Tensor halves(const at::Tensor& rows) {
  return rows.reshape({2 * rows.size(0), rows.size(1) / 2});
}

at::Tensor joined(const at::Tensor& halves) {
  return halves.reshape({halves.size(0) / 2, 2 * halves.size(1)});
}

}  // namespace

SplitMessages::SplitMessages(const Graph& graph, Aggregator aggregator) {
  TORCH_CHECK(is_scaled(aggregator), "directions are split for scaled sums");
  const Adjacency &in = graph.in(), &out = graph.out();
  at::Tensor of_in, of_out;  // factor of a receiver, by its direction
  at::Tensor sender_in, sender_out;
  if (aggregator != Aggregator::sum) {
    of_in = inverse_degree(in);
    of_out = inverse_degree(out);
  }
  if (aggregator == Aggregator::gcn) {
    of_in = sender_out = of_in.sqrt();
    of_out = sender_in = of_out.sqrt();
  }
  in_ = detail::scaled_lists(in, out, of_in, sender_in);
  out_ = detail::scaled_lists(out, in, of_out, sender_out);
}

at::Tensor SplitMessages::forward(const at::Tensor& h) const {
  TORCH_CHECK(h.size(1) % 2 == 0, "two directions need an even width, not ",
              h.size(1));
  const int64_t half = h.size(1) / 2;
  const at::Tensor first = h.narrow(1, 0, half).contiguous();
  const at::Tensor second = h.narrow(1, half, half).contiguous();
  return at::cat({detail::scaled_aggregate({in_, first}),
                  detail::scaled_aggregate({out_, second})},
                 1);
}

OrderedGateResult split_gate(Gating gating, const at::Tensor& logits,
                             const at::Tensor& prev_gate, const at::Tensor& h,
                             const at::Tensor& m) {
  const OrderedGateResult result = ordered_gate(
      gating, halves(logits), halves(prev_gate), halves(h), halves(m));
  return {joined(result.h), joined(result.gate)};
}

bool is_symmetric(const Graph& graph) {
  return at::equal(graph.in().rowptr, graph.out().rowptr) &&
         at::equal(graph.in().col, graph.out().col);
}

}  // namespace ordered_gnn::nn
