#pragma once
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>

#include "conversions.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::python {

/// What Python holds of a trained model.
using TrainedHandle = std::shared_ptr<Trained>;

/// Between C++ work and Python, on the thread that called from Python: tells a
/// function of Python what happens and asks whether to stop. An exception of
/// that function, and Ctrl-C, end the work; the exception is raised again
/// afterwards.
class Listener {
 public:
  /// @param told  called with one value; stops when it returns True. May be
  /// None.
  explicit Listener(pybind11::object told) : told_(std::move(told)) {}

  /// Calls `told` with what `make` gives, when there is one to tell. The GIL is
  /// not held.
  void tell(const std::function<pybind11::object()>& make);

  /// Whether to stop: `told` said so, it failed, or Ctrl-C was pressed (noticed
  /// on the main thread, where Python notices it).
  bool should_stop();

  /// Ctrl-C was pressed.
  bool interrupted() const { return interrupted_; }

  /// Raises what `told` raised, if it did. The GIL is held.
  void raise_again();

 private:
  pybind11::object told_;
  std::unique_ptr<pybind11::error_already_set> failure_;
  bool stop_ = false;
  bool interrupted_ = false;
};

}  // namespace ordered_gnn::python
