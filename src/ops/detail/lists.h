#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/optional.h"
#include "ordered_gnn/core/graph.h"

// The lists of a graph as ops take them.
namespace ordered_gnn::detail {

/// Lists with a factor per node at both ends of an edge.
struct ScaledLists {
  at::Tensor rowptr, col;
  at::Tensor t_rowptr, t_col;  ///< transposed, for the gradient
  /// [N] float64; nothing stands for ones.
  optional<at::Tensor> row_scale, col_scale;

  /// The lists that the gradient runs over: the scales are exchanged as well.
  ScaledLists transposed() const {
    return {t_rowptr, t_col, rowptr, col, col_scale, row_scale};
  }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.rowptr, self.col, self.t_rowptr, self.t_col,
                    self.row_scale, self.col_scale);
  }
};

/// Lists whose edges have values of their own.
struct EdgeLists {
  at::Tensor rowptr, col;
  at::Tensor t_rowptr, t_col;
  at::Tensor t_edge;  ///< Graph::edge_of_out()

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.rowptr, self.col, self.t_rowptr, self.t_col,
                    self.t_edge);
  }
};

inline ScaledLists scaled_lists(const Adjacency& in, const Adjacency& out,
                                const at::Tensor& row_scale,
                                const at::Tensor& col_scale) {
  return {in.rowptr,
          in.col,
          out.rowptr,
          out.col,
          when_defined(row_scale),
          when_defined(col_scale)};
}

/// @throws c10::Error when the graph is a part of one: the op would need rows
///         of other parts, which it does not fetch.
inline void require_whole_graph(const char* op, const Graph& graph) {
  TORCH_CHECK(graph.exchange() == nullptr, op,
              " works on whole graphs, not on parts of one");
}

inline EdgeLists edge_lists(const Graph& graph) {
  require_whole_graph("an op over edges", graph);
  const Adjacency& in = graph.in();
  const Adjacency& out = graph.out();
  return {in.rowptr, in.col, out.rowptr, out.col, graph.edge_of_out()};
}

}  // namespace ordered_gnn::detail
