#pragma once
#include <functional>
#include <string>
#include <vector>

#include "ops/op_checks.h"
#include "ordered_gnn/core/graph.h"

/// What every op over the edges of a graph has to satisfy.
namespace ordered_gnn {

using GraphFunction = std::function<TensorFunction(const Graph&)>;

/// A function of a graph and its inputs, as an op under test.
GraphFunction on_graphs(at::Tensor (*f)(const Graph&, const at::Tensor&));
GraphFunction on_graphs(at::Tensor (*f)(const Graph&, const at::Tensor&,
                                        const at::Tensor&));

/// An op, its reference, and inputs of it for rows of some width.
struct GraphOp {
  GraphFunction op, reference;
  std::function<Tensors(const Graph&, int64_t width, at::ScalarType)> inputs;
  std::vector<std::string> names;  ///< of the inputs
};

/// One matrix [N, width]: inputs of an op that has no others.
Tensors random_rows(const Graph& graph, int64_t width, at::ScalarType dtype);

/// Agrees with its reference on every small graph.
void expect_matches_on_small_graphs(const GraphOp& tested);

/// Agrees with its reference at every width and instruction set.
void expect_matches_at_every_width(const GraphOp& tested, const Graph& graph);

/// Gradients agree with central differences on every small graph.
void expect_gradients_on_small_graphs(const GraphOp& tested);

/// Gradients flow, inputs may have gaps or be empty, and inference mode gives
/// the same.
void expect_habits(const GraphOp& tested);

/// Any number of threads gives the same bits.
void expect_same_bits_on_a_large_graph(const GraphOp& tested);

}  // namespace ordered_gnn
