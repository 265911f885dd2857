#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Calls the registered ops. The gradient needs the output alone.
at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score);
at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out, const at::Tensor& grad);
/// H of values per edge [E, H]; 1 for [E].
inline int64_t heads_of(const at::Tensor& of_edges) {
  return of_edges.dim() == 2 ? of_edges.size(1) : 1;
}
void check_edge_softmax(const at::Tensor& rowptr, const at::Tensor& score);

}  // namespace ordered_gnn::detail
