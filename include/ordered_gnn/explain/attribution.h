#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/explain/attributes.h"
#include "ordered_gnn/explain/node_table.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn {

struct AttributionOptions {
  int64_t min_steps = 9;  ///< along the path; at least 1
  /// Steps are tripled until the residual is within `tolerance` or there would
  /// be more than this.
  int64_t max_steps = 243;
  /// Of the residual, as a part of max(1, |log_odds - baseline_log_odds|).
  double tolerance = 0.01;
  int64_t max_removals = 10;    ///< attributes that are tried; 0: none
  int64_t max_neighbours = 20;  ///< that are listed
  /// Work of all passes: edges and features that are read. On a large graph it
  /// may leave room for fewer steps and removals, min_steps at least.
  int64_t max_visits = 2000000000;
};

/// What happens when an attribute of the node becomes that of the baseline.
struct AttributeRemoval {
  /// Of the probability of the class that is predicted now, without minus with:
  /// negative for an attribute that supports the prediction.
  double change = 0;
  double log_odds_change = 0;  ///< the same of the log-odds
  int64_t predicted = 0;       ///< the prediction then
};

/// One attribute in the prediction of a node.
struct AttributeContribution {
  int64_t attribute = 0;  ///< place in attributes_of() of the dataset
  std::string value;      ///< attribute_text() of the node
  double own = 0;         ///< contribution of the node's own value
  double others = 0;      ///< of the values of all other nodes
  std::optional<AttributeRemoval> removal;  ///< of the node's own value
};

/// All attributes of one other node in the prediction of a node.
struct NodeContribution {
  int64_t node = 0;
  int64_t distance = 0;  ///< hops
  double contribution = 0;
};

/// Which attributes, and whose, made a model say what it says of one node.
///
/// Explained are the log-odds of the predicted class c,
///
///   f(X) = log(p_c / (1 - p_c)) = z_c - log sum_{d != c} exp(z_d)
///
/// with z the logits of the node and X the features of all nodes. Attributions
/// are integrated gradients (Sundararajan, Taly and Yan, 2017) from a baseline
/// B along the straight line to X, in k steps of the midpoint rule:
///
///   A_vi = (X_vi - B_i) sum_{s=1}^{k} (a_s - a_{s-1})
///            df/dX_vi (B + (a_s + a_{s-1}) / 2 (X - B)),   a_s = (s / k)^2
///
/// Steps are shorter near the baseline, where models that normalise rows change
/// fastest.
///
/// Row B is the same for every node: of dense features their mean over all
/// nodes of the dataset, an average node (about 0 for standardised numbers and
/// dates, the shares of the values for categories); of sparse features 0, the
/// absence of every word. The sum of all A_vi is f(X) - f(B) but for the
/// residual, which more steps make small unless f jumps on the line (rows of
/// length 0 that are normalised do, a maximum or a kink does not).
struct NodeAttribution {
  int64_t node = 0;
  /// Why there is nothing to attribute, a sentence; all that follows is empty
  /// or 0 then. Empty: there is.
  std::string why_none;
  int64_t predicted = 0;
  double log_odds = 0;              ///< f(X)
  double baseline_log_odds = 0;     ///< f(B)
  double probability = 0;           ///< of the predicted class
  double baseline_probability = 0;  ///< the same of baseline nodes
  int64_t steps = 0;                ///< k
  double residual = 0;              ///< sum of all A_vi minus (f(X) - f(B))
  /// Those with a contribution that is not 0, largest |own| first.
  std::vector<AttributeContribution> attributes;
  /// sum |own| / sum (|own| + |others|) over attributes; 0 without any.
  double own_share = 0;
  double own_total = 0;     ///< sum of `own`
  double others_total = 0;  ///< sum of `others`
  /// Other nodes, largest |contribution| first, at most max_neighbours.
  std::vector<NodeContribution> neighbours;
  int64_t num_neighbours = 0;  ///< other nodes with a contribution, all of them
};

/// Computed on the part of the graph that the node can hear, see
/// explain_node(); every step is a forward and a backward pass over it.
/// Removals are tried for the attributes with the largest |own|. The same bits
/// for any number of threads.
///
/// There is nothing to attribute for identity features, for a model that does
/// not read features, and for a single class; why_none says so.
///
/// @param nodes  describe_nodes() of the same model and data.
/// @throws Error as explain_node() does, and when attributes_of() does.
NodeAttribution attribute_node(NodeModel& model, const NodeDataset& data,
                               const NodeTable& nodes, int64_t node,
                               const AttributionOptions& options = {});

/// The row B above, [F] float32: means of dense features over all nodes, zeros
/// for other kinds.
at::Tensor attribution_baseline(const NodeFeatures& features);

}  // namespace ordered_gnn
