#pragma once
#include <torch/types.h>

#include <string>
#include <vector>

#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {

/// 0 - 1 - 2, both ways. With loops the in-degrees are 2, 3, 2; without, 1, 2,
/// 1.
inline Graph path_of_three(SelfLoops loops) {
  return Graph::from_edges(
      3, std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 2}},
      {Direction::undirected, loops});
}

/// A matrix from its rows, float64.
inline at::Tensor matrix(const std::vector<std::vector<double>>& rows) {
  std::vector<at::Tensor> all;
  for (const auto& row : rows) {
    all.push_back(torch::tensor(row, at::kDouble));
  }
  return at::stack(all);
}

inline NodeFeatures features_of(const std::vector<std::vector<double>>& rows) {
  return NodeFeatures::dense(matrix(rows).to(at::kFloat));
}

/// Sets one parameter by its checkpoint name, exactly: the model becomes
/// float64.
inline void set_parameter(NodeModel& model, const std::string& name,
                          const at::Tensor& value) {
  const torch::NoGradGuard no_grad;
  model.to(at::kDouble);
  at::Tensor parameter = model.named_parameters()[name];
  TORCH_CHECK(parameter.sizes() == value.sizes(), name, " is ",
              parameter.sizes(), ", not ", value.sizes());
  parameter.copy_(value);
}

inline at::Tensor row(const std::vector<double>& values) {
  return torch::tensor(values, at::kDouble);
}

/// Logits of the model in float64, without dropout.
inline at::Tensor exact_logits(NodeModel& model, const Graph& graph,
                               const NodeFeatures& features) {
  const torch::NoGradGuard no_grad;
  model.to(at::kDouble);
  return model.forward(graph, features, {});
}

}  // namespace ordered_gnn
