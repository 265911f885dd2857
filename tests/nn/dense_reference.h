#pragma once
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "nn/hand_worked.h"
#include "support/reference.h"
#include "support/tensors.h"

/// For references of models in dense matrices, float64.
namespace ordered_gnn::nn {

/// Directed: 0 -> 1 both ways, a node that only sends (3), one that only
/// receives (5) and one without any edge (6).
inline Graph directed_seven(SelfLoops loops = SelfLoops::keep) {
  return Graph::from_edges(
      7,
      std::vector<std::pair<int64_t, int64_t>>{
          {0, 1}, {1, 0}, {1, 2}, {3, 2}, {2, 4}, {4, 0}, {3, 5}, {0, 5}},
      {Direction::as_stored, loops});
}

inline NodeFeatures features_of_seven(int64_t width) {
  return NodeFeatures::dense(random_tensor({7, width}, at::kFloat, 8));
}

/// A[v, u] = 1 where u sends to v.
inline at::Tensor dense_in(const Graph& graph) {
  const int64_t n = graph.num_nodes();
  at::Tensor out = torch::zeros({n, n}, at::kDouble);
  out.index_put_({reference::receivers(graph), reference::senders(graph)}, 1.0);
  return out;
}

/// Rows times one over a power of their sums, which count as 1 at least.
inline at::Tensor row_scaled(const at::Tensor& a, const at::Tensor& sums,
                             double power) {
  return a * sums.clamp_min(1).pow(-power).unsqueeze(1);
}

/// D^-1/2 A D^-1/2 with the row sums of A in D.
inline at::Tensor symmetric(const at::Tensor& a) {
  const at::Tensor degree = a.sum(1);
  return row_scaled(row_scaled(a, degree, 0.5).t(), degree, 0.5).t();
}

/// A parameter of the model as float64.
inline at::Tensor parameter_of(const NodeModel& model,
                               const std::string& name) {
  return model.named_parameters()[name].detach().to(at::kDouble);
}

/// x W^T + b of the model's `name`.
inline at::Tensor affine_of(const NodeModel& model, const std::string& name,
                            const at::Tensor& x) {
  return x.matmul(parameter_of(model, name + ".weight").t()) +
         parameter_of(model, name + ".bias");
}

/// Rows divided by their length.
inline at::Tensor unit(const at::Tensor& x) {
  return x / x.square().sum(1, /*keepdim=*/true).sqrt().clamp_min(1e-12);
}

/// The norm `name` of the model, over rows.
inline at::Tensor layer_norm_of(const NodeModel& model, const std::string& name,
                                const at::Tensor& x) {
  return reference::layer_norm(x, parameter_of(model, name + ".weight"),
                               parameter_of(model, name + ".bias"));
}

}  // namespace ordered_gnn::nn
