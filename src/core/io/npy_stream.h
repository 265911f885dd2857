#pragma once
#include <ATen/core/Tensor.h>

#include "core/io/byte_source.h"

namespace ordered_gnn {

/// Reads an array as read_npy() does, straight into the memory of the tensor
/// where the type allows it. The source must hold the array and nothing more.
at::Tensor read_npy_from(ByteSource& source);

}  // namespace ordered_gnn
