#pragma once
#include <ATen/core/Tensor.h>

#include "core/io/byte_source.h"
#include "core/io/npy/header.h"

namespace ordered_gnn::core {

/// Reads an array as read_npy() does, straight into the memory of the tensor
/// where the type allows it. The source must hold the array and nothing more.
at::Tensor read_npy_from(ByteSource& source);

/// The same when the header is known and the source stands at the data.
at::Tensor read_npy_data(ByteSource& source, const NpyHeader& header);

}  // namespace ordered_gnn::core
