#pragma once
#include <cuda_bf16.h>

// Rows of nodes are stored as float, double or bfloat16. Parameters, statistics
// of rows and everything in registers have the type that S is computed in.
namespace ordered_gnn::cuda {

template <typename S>
struct ComputeType {
  using type = S;
};
template <>
struct ComputeType<__nv_bfloat16> {
  using type = float;
};

template <typename S>
using Compute = typename ComputeType<S>::type;

}  // namespace ordered_gnn::cuda
