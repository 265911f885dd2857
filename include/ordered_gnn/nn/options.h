#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/ops/ordered_gate.h"

namespace ordered_gnn {

/// Aggregate stage: what a node hears from its in-neighbours N(v), itself
/// among them when loops were added.
enum class Aggregator {
  mean,     ///< average
  gcn,      ///< sum of h[u] / sqrt(d[u] d[v])
  sum,      ///< sum
  max,      ///< element-wise maximum
  gat,      ///< attention: softmax_u(leaky_relu(s[u] + t[v])) weights
  signed_,  ///< average of tanh(s[u] + t[v]) * h[u]: neighbours may repel
};
std::string to_string(Aggregator aggregator);
Aggregator parse_aggregator(const std::string& name);

enum class Norm { layer, batch, none };
std::string to_string(Norm norm);
Norm parse_norm(const std::string& name);

/// Switches of the Ordered GNN. The MLP reads hidden, mlp_layers and
/// dropout_theta of them.
struct OrderedGnnOptions {
  int64_t layers = 8;      ///< K, message-passing layers
  int64_t hidden = 256;    ///< D, width
  int64_t chunk = 4;       ///< C, neurons per gate; divides D
  int64_t mlp_layers = 1;  ///< M, layers of f_theta
  Gating gating = Gating::softor;
  Aggregator aggregator = Aggregator::mean;
  bool tied_gates = false;
  Norm norm = Norm::layer;
  bool residual = false;  ///< adds a layer's input to its output
  double dropout_theta = 0.1;
  double dropout_xi = 0.1;
};

/// True for mean, gcn and sum: a sum of neighbours with a factor per end.
bool is_scaled(Aggregator aggregator);

/// Descriptions of all fields, with the model's rows of every table that
/// options feed.
const std::vector<Option<OrderedGnnOptions>>& ordered_gnn_option_table();

/// @throws UsageError when options do not fit each other, with the reason.
void validate(const OrderedGnnOptions& options);

}  // namespace ordered_gnn
