#pragma once
#include "ops/detail/lists.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/nn/options.h"
#include "ordered_gnn/ops/ordered_gate.h"

namespace ordered_gnn::nn {

/// The messages of both directions of a graph, each to one half of the neurons:
/// columns [0, D/2) of the result are the summary of the same columns over
/// in-neighbours, columns [D/2, D) over out-neighbours. With d_in and d_out the
/// degrees, at least 1, a message from u to v of the in-half has the factor
///
///   mean  1 / d_in[v]      gcn  1 / sqrt(d_in[v] d_out[u])      sum  1
///
/// and of the out-half the same with in and out exchanged. Weights of edges are
/// not read. The same bits for any number of threads.
class SplitMessages {
 public:
  SplitMessages() = default;
  /// @throws c10::Error unless is_scaled(aggregator).
  SplitMessages(const Graph& graph, Aggregator aggregator);

  /// @param h  [N, D], D even.  @return [N, D].
  at::Tensor forward(const at::Tensor& h) const;

 private:
  detail::ScaledLists in_, out_;
};

/// ordered_gate() of the two halves of the neurons, each with half of the
/// gates, a softmax and a memory of its own.
/// @param logits, prev_gate  [N, G], G even: the first half's gates first.
OrderedGateResult split_gate(Gating gating, const at::Tensor& logits,
                             const at::Tensor& prev_gate, const at::Tensor& h,
                             const at::Tensor& m);

/// Whether every edge of the graph, on the CPU, runs both ways, so that its
/// directions tell nothing.
bool is_symmetric(const Graph& graph);

}  // namespace ordered_gnn::nn
