#pragma once
#include <cstdint>
#include <string>

#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::nn {

/// What lines of the table of models say by functions; see ModelEntry.

/// ModelEntry::as_ordered_gnn of the Ordered GNN, and of the network that is
/// its input and output alone; those of its ablations are in gnn_presets.h.
OrderedGnnOptions itself(const ModelOptions& options);
OrderedGnnOptions without_layers(const ModelOptions& options);

/// ModelEntry::why_unread of the Ordered GNN, of its ablations and of JK-Net.
std::string no_gates_to_set(const ModelOptions& options,
                            const std::string& option);
std::string no_candidate_to_set(const ModelOptions& options,
                                const std::string& option);
std::string no_aggregator_to_set(const ModelOptions& options,
                                 const std::string& option);

/// ModelEntry::has_node_parameters of LINK and LINKX, and of the Ordered GNN.
bool always_per_node(const ModelOptions& options);
bool learns_node_ids(const ModelOptions& options);

/// ModelEntry::why_no_bf16 of models whose ops all take 16 bits.
std::string takes_bf16(const ModelOptions& options);

/// ModelEntry::why_no_weights of models that sum over a normalised adjacency,
/// of those with an aggregate stage, of the Ordered GNN, which may split it by
/// direction, and of those with a choice of layers.
std::string reads_weights(const ModelOptions& options);
std::string reads_weights_in_sums(const ModelOptions& options);
std::string reads_weights_in_layers(const ModelOptions& options);
std::string jknet_reads_weights(const ModelOptions& options);
std::string tuned_gnn_reads_weights(const ModelOptions& options);

/// ModelEntry::why_no_parts of models without messages or whose messages are
/// sums over the normalised adjacency, of those with an aggregate stage, and of
/// the Ordered GNN, whose norms may need all rows.
std::string takes_parts(const ModelOptions& options);
std::string takes_parts_in_sums(const ModelOptions& options);
std::string takes_parts_in_layers(const ModelOptions& options);

/// ModelEntry::reach of a network without messages, of one with a round of them
/// per layer, of one that spreads them over `hops` steps, of one that does so
/// in every layer, and of one whose layers look two steps far.
ModelReach reach_of_mlp(const ModelOptions& options);
ModelReach reach_of_layers(const ModelOptions& options);
ModelReach reach_of_ordered_layers(const ModelOptions& options);
ModelReach reach_of_hops(const ModelOptions& options);
ModelReach reach_of_powers(const ModelOptions& options);
ModelReach reach_of_two_hops(const ModelOptions& options);

}  // namespace ordered_gnn::nn
