#include "support/reference.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <vector>

namespace ordered_gnn::reference {
namespace {

at::Tensor in_degrees(const Graph& graph) {
  return graph.in().rowptr.diff().clamp_min(1);
}

at::Tensor add_to_receivers(const Graph& graph, const at::Tensor& messages) {
  return at::zeros({graph.num_nodes(), messages.size(1)}, messages.options())
      .index_add(0, receivers(graph), messages);
}

// The part of a per-edge tensor that belongs to the in-edges of one node.
at::Tensor in_edges(const Graph& graph, int64_t v, const at::Tensor& values) {
  const int64_t* const rowptr = graph.in().rowptr.data_ptr<int64_t>();
  return values.slice(0, rowptr[v], rowptr[v + 1]);
}

// The maximum over rows, with the whole gradient for the first row that
// attains it; at::max leaves the choice among equals open.
at::Tensor first_maximum(const at::Tensor& rows) {
  const at::Tensor attains = rows.eq(rows.amax(0, /*keepdim=*/true));
  const at::Tensor first = attains.logical_and(attains.cumsum(0).eq(1));
  return at::where(first, rows, at::zeros_like(rows)).sum(0);
}

}  // namespace

at::Tensor senders(const Graph& graph) { return graph.in().col.to(at::kLong); }

at::Tensor receivers(const Graph& graph) {
  const at::Tensor nodes = at::arange(graph.num_nodes(), at::kLong);
  return nodes.repeat_interleave(graph.in().rowptr.diff());
}

at::Tensor sum_aggregate(const Graph& graph, const at::Tensor& h) {
  return add_to_receivers(graph, h.index_select(0, senders(graph)));
}

at::Tensor mean_aggregate(const Graph& graph, const at::Tensor& h) {
  return sum_aggregate(graph, h) / in_degrees(graph).to(h.dtype()).unsqueeze(1);
}

at::Tensor gcn_aggregate(const Graph& graph, const at::Tensor& h) {
  const at::Tensor degree = in_degrees(graph).to(h.dtype());
  const at::Tensor product = degree.index_select(0, senders(graph)) *
                             degree.index_select(0, receivers(graph));
  return weighted_aggregate(graph, product.rsqrt(), h);
}

at::Tensor scaled_aggregate(const Graph& graph, const at::Tensor& row_scale,
                            const at::Tensor& col_scale, const at::Tensor& h) {
  const at::Tensor ones = at::ones({graph.num_nodes()}, h.options());
  const at::Tensor row = row_scale.defined() ? row_scale.to(h.dtype()) : ones;
  const at::Tensor col = col_scale.defined() ? col_scale.to(h.dtype()) : ones;
  return row.unsqueeze(1) * sum_aggregate(graph, col.unsqueeze(1) * h);
}

at::Tensor max_aggregate(const Graph& graph, const at::Tensor& h) {
  const at::Tensor sender = senders(graph);
  // Starts from the input so that the result is differentiable on any graph.
  std::vector<at::Tensor> rows = {h.slice(0, 0, 0)};
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    const at::Tensor neighbours = h.index_select(0, in_edges(graph, v, sender));
    const at::Tensor row = neighbours.size(0) == 0
                               ? at::zeros({h.size(1)}, h.options())
                               : first_maximum(neighbours);
    rows.push_back(row.unsqueeze(0));
  }
  return at::cat(rows, 0);
}

at::Tensor weighted_aggregate(const Graph& graph, const at::Tensor& weight,
                              const at::Tensor& h) {
  const at::Tensor gathered = h.index_select(0, senders(graph));
  if (weight.dim() == 1) {
    return add_to_receivers(graph, weight.unsqueeze(1) * gathered);
  }
  const int64_t heads = weight.size(1);
  const at::Tensor parts =
      gathered.view({weight.size(0), heads, h.size(1) / heads});
  return add_to_receivers(graph, (weight.unsqueeze(2) * parts).flatten(1));
}

at::Tensor edge_scores(const Graph& graph, const at::Tensor& source,
                       const at::Tensor& target) {
  return source.index_select(0, senders(graph)) +
         target.index_select(0, receivers(graph));
}

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b) {
  return (a.index_select(0, receivers(graph)) *
          b.index_select(0, senders(graph)))
      .sum(1);
}

at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads) {
  const at::Tensor products =
      a.index_select(0, receivers(graph)) * b.index_select(0, senders(graph));
  return products.view({products.size(0), heads, a.size(1) / heads}).sum(2);
}

at::Tensor edge_softmax(const Graph& graph, const at::Tensor& score) {
  // Starts from the input so that the result is differentiable on any graph.
  std::vector<at::Tensor> rows = {score.slice(0, 0, 0)};
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    rows.push_back(in_edges(graph, v, score).softmax(0));
  }
  return at::cat(rows, 0);
}

at::Tensor cumax(const at::Tensor& logits) {
  return logits.softmax(-1).flip(-1).cumsum(-1).flip(-1);
}

OrderedGateResult ordered_gate(Gating gating, const at::Tensor& logits,
                               const at::Tensor& prev_gate, const at::Tensor& h,
                               const at::Tensor& m) {
  if (gating == Gating::none) return {m, prev_gate};
  at::Tensor gate = gating == Gating::simple ? logits.sigmoid() : cumax(logits);
  if (gating == Gating::softor) gate = prev_gate + (1 - prev_gate) * gate;
  const int64_t neurons_per_gate = h.size(1) / logits.size(1);
  const at::Tensor wide = gate.repeat_interleave(neurons_per_gate, 1);
  return {wide * h + (1 - wide) * m, gate};
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  return x.matmul(weight.t()) + bias;
}

at::Tensor pair_linear(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  return linear(at::cat({a, b}, 1), weight, bias);
}

at::Tensor layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double eps) {
  return at::layer_norm(x, {x.size(-1)}, weight, bias, eps);
}

at::Tensor dropout_mask(at::IntArrayRef sizes, double p,
                        const DropoutKey& key) {
  const at::Tensor kept = at::empty(sizes, at::kBool);
  bool* const out = kept.data_ptr<bool>();
  // The top bit of the counter keeps masks apart from RandomStream.
  const uint64_t place = (uint64_t{1} << 63) +
                         static_cast<uint64_t>(key.step.number) * 65536 +
                         static_cast<uint64_t>(key.site);
  const double lowest_kept = std::floor(p * 65536 + 0.5);
  for (int64_t i = 0; i < kept.numel(); ++i) {
    const Philox::Block words = Philox::block(
        static_cast<uint64_t>(key.seed), static_cast<uint64_t>(i / 8), place);
    const uint32_t shift = 16 * static_cast<uint32_t>(i % 2);
    const uint32_t draw = words[i % 8 / 2] >> shift & 0xffffu;
    out[i] = draw >= lowest_kept;
  }
  return kept;
}

at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key) {
  if (p == 0) return x;
  const at::Tensor kept = dropout_mask(x.sizes(), p, key);
  return at::where(kept, x / (1 - p), at::zeros_like(x));
}

at::Tensor feature_linear(const NodeFeatures& features,
                          const at::Tensor& weight, const at::Tensor& bias,
                          double p, const DropoutKey& key) {
  const at::Tensor x = features.to_dense().to(weight.dtype());
  return linear(dropout(x, p, key), weight, bias);
}

}  // namespace ordered_gnn::reference
