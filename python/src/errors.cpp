#include <c10/util/Exception.h>

#include "bindings.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::python {

namespace py = pybind11;

// What users catch: Error is a ValueError, the others are Errors. Messages are
// those of the command.
void bind_errors(py::module_& module) {
  auto error = py::register_exception<Error>(module, "Error", PyExc_ValueError);
  error.doc() =
      "A problem with data, a setting or the machine; says what to do.";
  py::register_exception<UsageError>(module, "UsageError", error.ptr()).doc() =
      "Arguments that cannot be right, whatever the data.";
  py::register_exception<Interrupted>(module, "Interrupted", error.ptr())
      .doc() = "A run that was asked to stop.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const c10::Error& caught) {
      PyErr_SetString(PyExc_RuntimeError, caught.what_without_backtrace());
    }
  });
}

}  // namespace ordered_gnn::python
