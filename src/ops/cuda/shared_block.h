#pragma once
#include <ATen/core/DimVector.h>
#include <ATen/core/Tensor.h>

#include <vector>

namespace ordered_gnn::cuda {

/// A tensor that is to be made, contiguous, and where it goes.
struct Wanted {
  at::Tensor* place;
  at::DimVector sizes;
  at::ScalarType type;
};

/// Makes tensors on a GPU. Where time counts first (detail::TimeFirst) they
/// share one block of memory: PyTorch's allocator takes the host as long for a
/// small block as for a large one, and the block is free again only when the
/// last of them is gone. Otherwise each has memory of its own.
void make_tensors(at::Device device, const std::vector<Wanted>& wanted);

}  // namespace ordered_gnn::cuda
