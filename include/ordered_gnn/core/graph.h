#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ordered_gnn {

namespace core {
class RowExchange;
}

/// Which way messages flow along a stored edge (first, second).
enum class Direction {
  as_stored,   ///< from the first to the second node
  reversed,    ///< from the second to the first node
  undirected,  ///< both ways
};

enum class SelfLoops {
  keep,    ///< as stored
  remove,  ///< no node is its own neighbour
  add,     ///< every node is its own neighbour exactly once
};

/// Names as options and files spell them, for example "as_stored".
std::string to_string(Direction direction);
std::string to_string(SelfLoops self_loops);
/// @throws Error that lists the known names.
Direction parse_direction(const std::string& name);
SelfLoops parse_self_loops(const std::string& name);

struct GraphOptions {
  Direction direction = Direction::as_stored;
  SelfLoops self_loops = SelfLoops::keep;
  /// [E] float32 on the CPU, a weight per stored edge, finite and 0 or more;
  /// undefined: the graph has no weights.
  at::Tensor weights = {};
};

/// One direction of adjacency: row r lists col[rowptr[r] .. rowptr[r+1]) in
/// rising order.
struct Adjacency {
  at::Tensor rowptr;  ///< [N + 1] int64
  at::Tensor col;     ///< [E] int32, or int64 when N exceeds 2^31 - 1
};

/// Weights of edges as sums take them, each [E] float32 in the order of
/// Graph::in(); all undefined where there are none. d_v is the sum of the
/// weights of v's in-edges, and 1 where that is 0.
struct EdgeFactors {
  at::Tensor weight;     ///< w_uv itself
  at::Tensor mean;       ///< w_uv / d_v, of the weighted mean
  at::Tensor symmetric;  ///< w_uv / sqrt(d_u d_v), of D^-1/2 A D^-1/2
};

/// An immutable directed graph, validated once when it is built.
///
/// `in()` lists for every node the neighbours it receives messages from;
/// `out()` is its transpose, built on first use and shared by copies.
/// `edge_of_out()` gives for every entry of `out()` its position in `in()`,
/// so that per-edge values can be read in transposed order.
///
/// A graph may have a weight per edge. Sums over neighbours that say so read
/// them (mean_aggregate(), gcn_aggregate(), sum_aggregate(), propagate()); its
/// lists, degrees and two_hop() are those of the same graph without weights.
class Graph {
 public:
  Graph();

  /// Builds from edge ends, dropping duplicates.
  ///
  /// Weights: an edge that is read both ways has its weight both ways. Repeats
  /// of a stored ordered pair add up. Where both directions of a pair are
  /// stored and read both ways, the larger one counts for both. A loop that is
  /// added has weight 1, a stored one keeps its own.
  ///
  /// @param num_nodes  N, at least 0.
  /// @param edges      [2, E] int64 on the CPU: row 0 the first nodes, row 1
  ///                   the second nodes.
  /// @throws Error naming the first edge whose end is outside [0, N), or whose
  ///         weight is negative, not finite or too large in a sum.
  static Graph from_edges(int64_t num_nodes, const at::Tensor& edges,
                          const GraphOptions& options = {});
  static Graph from_edges(int64_t num_nodes,
                          const std::vector<std::pair<int64_t, int64_t>>& edges,
                          const GraphOptions& options = {});

  /// A graph from lists that are known to be sound, on any device: for ops that
  /// derive one graph from another.
  ///
  /// @param in           as in().
  /// @param out          its transpose.
  /// @param edge_of_out  [E] int64, as edge_of_out().
  /// @param two_hop      makes two_hop() when it is asked for.
  /// @param factors      as factors().
  static Graph from_lists(Adjacency in, Adjacency out, at::Tensor edge_of_out,
                          std::function<Graph()> two_hop,
                          EdgeFactors factors = {});

  /// A graph from the lists of its receivers alone, known to be sound, on the
  /// CPU. They may be a part of a larger graph's: rows whose senders are left
  /// out then keep their degree, which scales what they send.
  ///
  /// @param in         as in().
  /// @param in_degree  [N] int64, that inverse_in_degree() tells of; undefined:
  ///                   the lengths of the rows.
  /// @param two_hop    makes two_hop() when it is asked for; null: from `in`.
  static Graph from_rows(Adjacency in, const at::Tensor& in_degree = {},
                         std::function<Graph()> two_hop = nullptr);

  /// A part of a graph whose sums need rows of other parts, made on the CPU:
  /// for training over parts. num_nodes() are its own nodes; columns of in()
  /// and out() may name nodes of its halo, which follow them. Weights,
  /// two_hop() and edge_of_out() are not there.
  ///
  /// @param in_degree  [n + H] int64, that inverse_in_degree() tells of.
  static Graph of_part(Adjacency in, Adjacency out, const at::Tensor& in_degree,
                       std::shared_ptr<core::RowExchange> exchange);

  /// The same graph with its tensors on `device`, the transpose among them:
  /// it is built on the CPU first. Returns itself when it is there already.
  /// edge_of_out() follows on first use; until then the graph that was moved
  /// stays in memory.
  Graph to(at::Device device) const;

  int64_t num_nodes() const;
  /// Distinct ordered pairs after the options acted, loops included.
  int64_t num_edges() const;
  /// Loops among num_edges().
  int64_t num_self_loops() const;
  /// Stored entries dropped because the same ordered pair came before.
  int64_t num_duplicates() const;
  /// Unordered pairs whose two directions are stored with different weights
  /// and read both ways: the larger weight counts.
  int64_t num_uneven_pairs() const;

  const Adjacency& in() const;
  const Adjacency& out() const;
  const at::Tensor& edge_of_out() const;  ///< [E] int64
  /// [E] float32 in the order of in(); undefined: there are no weights.
  const at::Tensor& weights() const { return factors().weight; }
  const EdgeFactors& factors() const;
  /// How rows of a halo are had; null unless this is a part of a graph.
  const std::shared_ptr<core::RowExchange>& exchange() const;
  /// [N] float64: 1 / max(in-degree, 1), a loop counting as one in-edge,
  /// whatever its weight.
  const at::Tensor& inverse_in_degree() const;

  /// The graph of exactly two hops: u sends to v when it sends to a node that
  /// sends to v, is not v and does not send to v itself. It has no loops; the
  /// loops and weights of this graph do not matter, and it has no weights.
  /// Built on first use, on the CPU, and shared by copies. It may be dense.
  /// @throws Error when it would have 2^31 edges or more.
  const Graph& two_hop() const;

 private:
  struct State;
  explicit Graph(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace ordered_gnn
