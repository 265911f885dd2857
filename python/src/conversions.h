#pragma once
#include <ATen/core/Tensor.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/utils/pybind.h>

#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::python {

/// JSON as dicts, lists and numbers. Bytes that are no UTF-8 are replaced.
pybind11::object to_python(const Json& json);

/// The other way round.
/// @throws UsageError for a value that JSON does not have.
Json from_python(const pybind11::handle& value);

/// A tensor, or an undefined one for None.
at::Tensor tensor_or_none(const pybind11::handle& value);

/// A folder or file as Python gives it; "~" is not expanded.
std::string path_text(const pybind11::handle& path);

}  // namespace ordered_gnn::python
