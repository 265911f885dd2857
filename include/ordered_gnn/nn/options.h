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

/// What a layer writes into the neurons that its gate opens to the neighbours.
enum class Transform {
  none,    ///< m itself, as in the paper
  linear,  ///< a candidate of its own weights: relu(norm(W [m ; h] + b))
};
std::string to_string(Transform transform);
Transform parse_transform(const std::string& name);

/// Whose messages a node hears.
enum class Directions {
  joint,  ///< those of its in-neighbours, by all neurons
  split,  ///< by half of the neurons those of its in-neighbours, by the other
          ///< half those of its out-neighbours
};
std::string to_string(Directions directions);
Directions parse_directions(const std::string& name);

/// What the first state is made of. See OrderedGnn.
enum class FirstState {
  own,    ///< the node's own features, as in the paper
  heard,  ///< those of its neighbours, as the aggregate stage sums them
};
std::string to_string(FirstState first);
FirstState parse_first_state(const std::string& name);

/// A second tower beside the features: what a node is known by, itself or by
/// its neighbours, summed into the first state. See OrderedGnn.
enum class NodeIds {
  none,
  id,         ///< a learned row per node
  adjacency,  ///< the sum of the learned rows of a node's in-neighbours
};
std::string to_string(NodeIds node_ids);
NodeIds parse_node_ids(const std::string& name);

/// Switches of the Ordered GNN. The MLP reads hidden, mlp_layers and
/// dropout_theta of them.
struct OrderedGnnOptions {
  int64_t layers = 8;      ///< K, message-passing layers
  int64_t hidden = 256;    ///< D, width
  int64_t chunk = 4;       ///< C, neurons per gate; divides D
  int64_t mlp_layers = 1;  ///< M, layers of f_theta
  FirstState first_state = FirstState::own;
  NodeIds node_ids = NodeIds::none;
  Gating gating = Gating::softor;
  Aggregator aggregator = Aggregator::mean;
  Directions directions = Directions::joint;
  Transform transform = Transform::none;
  Norm candidate_norm = Norm::layer;  ///< of the candidate of a transform
  bool tied_gates = false;
  Norm norm = Norm::layer;
  bool residual = false;  ///< adds a layer's input to its output
  double dropout_theta = 0.1;
  double dropout_xi = 0.1;
};

/// True for mean, gcn and sum: a sum of neighbours with a factor per end.
bool is_scaled(Aggregator aggregator);

/// Rows of ordered gates that a layer has side by side: 2 when directions are
/// split, otherwise 1.
int64_t gate_orders(const OrderedGnnOptions& options);

/// Descriptions of all fields, with the model's rows of every table that
/// options feed.
const std::vector<Option<OrderedGnnOptions>>& ordered_gnn_option_table();

/// @throws UsageError when options do not fit each other, with the reason.
void validate(const OrderedGnnOptions& options);

}  // namespace ordered_gnn
