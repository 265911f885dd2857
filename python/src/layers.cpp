#include <ATen/CPUGeneratorImpl.h>

#include <memory>
#include <mutex>
#include <utility>

#include "bindings.h"
#include "conversions.h"
#include "ops/detail/dropout.h"
#include "ops/detail/ordered_layer.h"
#include "ordered_gnn/core/error.h"

// What a loop in Python calls once a layer. torch.ops takes argument by
// argument through a list of boxed values; that and the results that it wraps
// cost more of the host than all else that a layer asks of it.
namespace ordered_gnn::python {
namespace {

namespace py = pybind11;
using detail::ScaledLists;

std::shared_ptr<ScaledLists> scaled_lists_of(const at::Tensor& rowptr,
                                             const at::Tensor& col,
                                             const at::Tensor& t_rowptr,
                                             const at::Tensor& t_col,
                                             const py::object& row_scale,
                                             const py::object& col_scale) {
  return std::make_shared<ScaledLists>(
      ScaledLists{rowptr, col, t_rowptr, t_col,
                  detail::when_defined(tensor_or_none(row_scale)),
                  detail::when_defined(tensor_or_none(col_scale))});
}

// Ops take more rows, for graphs that are shared between processes.
void require_a_row_per_node(const ScaledLists& lists, const at::Tensor& h) {
  const int64_t nodes = lists.rowptr.numel() - 1;
  if (h.dim() == 2 && h.size(0) > nodes) {
    throw UsageError(
        fmt::format("h must be [{}, D] to match the graph, got [{}, {}]", nodes,
                    h.size(0), h.size(1)));
  }
}

std::pair<at::Tensor, at::Tensor> layer_of(
    const ScaledLists& lists, const at::Tensor& h, const py::object& prev_gate,
    const at::Tensor& gate_weight, const at::Tensor& gate_bias,
    const at::Tensor& norm_weight, const at::Tensor& norm_bias, int64_t mode,
    double eps, double p, int64_t seed, int64_t step, int64_t site) {
  require_a_row_per_node(lists, h);
  detail::OrderedLayerArguments arguments;
  arguments.lists = lists;
  arguments.layer.h = h;
  arguments.layer.prev_gate = detail::when_defined(tensor_or_none(prev_gate));
  arguments.layer.parameters = {gate_weight, gate_bias, norm_weight, norm_bias};
  arguments.layer.mode = mode;
  arguments.layer.eps = eps;
  arguments.layer.dropout.p = p;
  arguments.layer.dropout.seed = seed;
  arguments.layer.dropout.step = step;
  arguments.layer.dropout.site = site;
  const py::gil_scoped_release parallel;
  OrderedGateResult result = detail::ordered_layer_of_python(arguments);
  return {std::move(result.h), std::move(result.gate)};
}

// A seed that follows torch.manual_seed().
int64_t drawn_seed() {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard<std::mutex> lock(generator.mutex());
  auto* numbers = at::check_generator<at::CPUGeneratorImpl>(generator);
  return static_cast<int64_t>(numbers->random64() >> 1U);
}

at::Tensor drawn_dropout(const at::Tensor& x, double p,
                         const py::object& step) {
  detail::DropoutArguments arguments;
  arguments.x = x;
  arguments.dropout.p = p;
  arguments.dropout.seed = drawn_seed();
  arguments.dropout.step_tensor = detail::when_defined(tensor_or_none(step));
  const py::gil_scoped_release parallel;
  return detail::dropout_of_python(arguments);
}

}  // namespace

void bind_layers(py::module_& module) {
  py::class_<ScaledLists, std::shared_ptr<ScaledLists>>(module, "ScaledLists")
      .def(py::init(&scaled_lists_of));
  module.def("ordered_layer", &layer_of);
  module.def("drawn_dropout", &drawn_dropout, py::arg("x"), py::arg("p"),
             py::arg("step") = py::none(),
             "Dropout by a seed that torch's generator of the CPU gives, and a "
             "step that is read where it runs.");
}

}  // namespace ordered_gnn::python
