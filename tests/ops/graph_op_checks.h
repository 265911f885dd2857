#pragma once
#include <gtest/gtest.h>

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

/// Gradients agree with central differences on every small graph.
void expect_gradients_on_small_graphs(const GraphOp& tested);

/// An op over rows, with a graph on which every width is tried.
struct RowsOp {
  GraphOp op;
  Graph graph;
};

/// The cases that every op over rows has; its own test instantiates them.
class OpOverRows : public testing::TestWithParam<RowsOp> {};

}  // namespace ordered_gnn
