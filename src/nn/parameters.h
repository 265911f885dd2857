#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::nn {

/// While one is alive, models built on its thread have parameters and buffers
/// of the right shapes but without memory (LibTorch's device `meta`), so that a
/// description of unknown origin can be held against a file before anything of
/// its size is allocated.
class ShapesOnly : NonCopyable {
 public:
  ShapesOnly();
  ~ShapesOnly();
};

/// Memory for a parameter, float32 and row-major, its values not set.
at::Tensor empty_parameter(at::IntArrayRef sizes);

/// A parameter that starts at one value.
at::Tensor constant_parameter(at::IntArrayRef sizes, double value);

}  // namespace ordered_gnn::nn
