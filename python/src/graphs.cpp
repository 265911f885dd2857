#include <ATen/Functions.h>

#include <memory>

#include "bindings.h"
#include "conversions.h"
#include "ops/detail/weighted_aggregate.h"
#include "ordered_gnn/core/graph.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

std::shared_ptr<Graph> graph_from(int64_t num_nodes,
                                  const at::Tensor& edge_index,
                                  const std::string& direction,
                                  const std::string& self_loops,
                                  const py::object& weights) {
  GraphOptions options;
  options.direction = parse_direction(direction);
  options.self_loops = parse_self_loops(self_loops);
  options.weights = tensor_or_none(weights);
  const py::gil_scoped_release parallel;
  return std::make_shared<Graph>(
      Graph::from_edges(num_nodes, edge_index.contiguous(), options));
}

// What the ops take: rowptr, col, t_rowptr, t_col.
py::tuple lists_of(const Graph& graph) {
  return py::make_tuple(graph.in().rowptr, graph.in().col, graph.out().rowptr,
                        graph.out().col);
}

// Factors of the weighted sums, each [E] or None without weights.
py::dict factors_of(const Graph& graph) {
  py::dict out;
  out["sum"] = graph.factors().weight;
  out["mean"] = graph.factors().mean;
  out["gcn"] = graph.factors().symmetric;
  return out;
}

}  // namespace

void bind_graphs(py::module_& module) {
  py::class_<Graph, std::shared_ptr<Graph>>(module, "Graph")
      .def_property_readonly("num_nodes", &Graph::num_nodes)
      .def_property_readonly("num_edges", &Graph::num_edges)
      .def_property_readonly("lists", &lists_of)
      .def_property_readonly("edge_of_out", &Graph::edge_of_out)
      .def_property_readonly("inverse_in_degree", &Graph::inverse_in_degree)
      .def_property_readonly("factors", &factors_of)
      .def_property_readonly("receivers",
                             [](const Graph& graph) {
                               return detail::receivers(graph.in().rowptr,
                                                        graph.num_edges());
                             })
      .def("to", [](const Graph& graph, const std::string& device) {
        return std::make_shared<Graph>(graph.to(at::Device(device)));
      });
  module.def("make_graph", &graph_from);
}

}  // namespace ordered_gnn::python
