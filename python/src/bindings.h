#pragma once
#include <pybind11/pybind11.h>

/// Each source of this folder adds its part of the module `_core`. The
/// functions of
/// `_core` take and give plain values, tensors and the classes Dataset,
/// Trained, Graph and Network; what users see is made of them in Python.
namespace ordered_gnn::python {

void bind_errors(pybind11::module_& module);
void bind_options(pybind11::module_& module);
void bind_datasets(pybind11::module_& module);
void bind_tables(pybind11::module_& module);
void bind_training(pybind11::module_& module);
void bind_graphs(pybind11::module_& module);
void bind_layers(pybind11::module_& module);
void bind_networks(pybind11::module_& module);
void bind_explanations(pybind11::module_& module);
void bind_searches(pybind11::module_& module);

}  // namespace ordered_gnn::python
