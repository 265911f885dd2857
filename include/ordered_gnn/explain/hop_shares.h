#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace ordered_gnn {

/// Where the hop shares of a model come from.
enum class HopShareSource {
  none,      ///< the model has no rounds of messages, or does not show them
  gates,     ///< hop_shares() of its gates
  last_hop,  ///< a network without gates: every neuron is the last round's
};

/// Share of a node's neurons that each hop owns, from the expected splits of
/// the K layers.
///
/// Layer k leaves the first P^k of D neurons as they are and writes what comes
/// from the neighbours into the others, so neuron j is owned by the last layer
/// that wrote it: the largest k with P^k <= j, or the node itself (hop 0) when
/// there is none. With Q^k = min over l >= k of P^l, which never falls:
///
///   share 0 = Q^1 / D
///   share k = (Q^{k+1} - Q^k) / D      for 0 < k < K
///   share K = (D - Q^K) / D
///
/// Shares are not negative and sum to one. All gates 1: share 0 is one; all
/// gates 0: share K is one. Gates of simple gating are counted as if they were
/// ordered, by how many neurons they keep; what a residual connection carries
/// past a layer is not counted. Where neurons fall into several orders
/// (LayerTrace::orders, one per direction of the edges), each order has shares
/// of its own, D being its width, and those of the node are their mean; a hop
/// is then a step along an edge or against it.
///
/// @param splits  per layer expected_splits(), float64 [N], in neurons.
/// @param width   D.
/// @return        float64 [N, K + 1].
/// @throws Error without layers, for another shape or dtype, and naming layer
///         and node of a split that is not finite or not in [0, D]; rounding of
///         a millionth of D is let through and cut off.
at::Tensor hop_shares(const std::vector<at::Tensor>& splits, int64_t width);

/// The shares of a network of K layers without gates: one for the last hop.
/// float64 [N, K + 1].
at::Tensor last_hop_shares(int64_t num_nodes, int64_t num_layers);

/// The smallest hop whose shares, summed from hop 0 on, reach `covered`; at
/// least 1 and at most the last hop. 0 when there is no hop but 0, or none.
int64_t depth_that_matters(const std::vector<double>& shares,
                           double covered = 0.95);

}  // namespace ordered_gnn
