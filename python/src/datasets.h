#pragma once
#include <pybind11/pybind11.h>

#include <memory>

#include "conversions.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::python {

/// What Python holds of a dataset; never written to once it is made.
using DatasetHandle = std::shared_ptr<NodeDataset>;

/// Treatment by the names of the options: direction, self-loops, features,
/// edge-weights; those that are not there, or "auto", are chosen.
TreatmentChoice treatment_from(const pybind11::dict& values);

}  // namespace ordered_gnn::python
