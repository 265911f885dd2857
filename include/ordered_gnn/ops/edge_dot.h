#pragma once
#include <ATen/core/Tensor.h>

#include "ordered_gnn/core/graph.h"

namespace ordered_gnn {

/// Inner products of the two ends of every edge:
///
///   out[e] = <a[v], b[u]>  for e = (u -> v), in the order of graph.in()
///
/// With rows of length 1 this is the cosine of the ends. No edge-by-width
/// buffer is built in either direction.
///
/// @param a  [N, D], of the receivers, float32 or float64.
/// @param b  [N, D], of the senders.
/// @return   [E]; differentiable in both.
/// @throws c10::Error when shapes, dtypes or devices do not match.
at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b);

/// The same of `heads` parts of D / heads columns each, side by side:
/// out[e, i] = <a[v, i], b[u, i]>.
/// @return [E, heads].
/// @throws c10::Error also when heads do not divide D.
at::Tensor edge_dot(const Graph& graph, const at::Tensor& a,
                    const at::Tensor& b, int64_t heads);

}  // namespace ordered_gnn
