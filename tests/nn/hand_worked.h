#pragma once
#include <torch/types.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ordered_gnn/nn/models.h"
#include "support/errors.h"

namespace ordered_gnn::nn {

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

/// Parameters by their checkpoint names.
using Values = std::vector<std::pair<std::string, at::Tensor>>;

/// A model of the table with these options, others being the program's own
/// defaults, and these parameters.
inline std::shared_ptr<NodeModel> hand_made(const std::string& name,
                                            const Json& changes,
                                            const Values& parameters,
                                            const ModelShape& shape = {1, 1}) {
  ModelOptions options;
  apply_json(model_option_table(), changes, options);
  const auto model = create_model(name, shape, options, /*seed=*/1);
  for (const auto& [key, value] : parameters) {
    set_parameter(*model, key, value);
  }
  return model;
}

/// The error of making it; empty where there is none.
inline std::string refusal(const std::string& name, const Json& changes) {
  return error_of([&] { hand_made(name, changes, {}); });
}

inline at::Tensor row(const std::vector<double>& values) {
  return torch::tensor(values, at::kDouble);
}

/// For Ordered GNNs of width 2 that read one feature: features of 1, -1 and 0
/// are the states [3, -1], [-1, 7] and [1, 3] before the first layer, and a
/// state [a, b] after the last one is the logit a + 10 b + 7.
inline void set_ends_by_hand(NodeModel& model) {
  set_parameter(model, "input.0.weight", matrix({{4}, {-4}}));
  set_parameter(model, "input.0.bias", row({0, 0}));
  // relu gives [4, 0], [0, 4] and [0, 0], the norm [u, -u], [-u, u] and zeros.
  const double u = 2 / std::sqrt(4 + 1e-5);
  set_parameter(model, "input_norm.0.weight", row({2 / u, 4 / u}));
  set_parameter(model, "input_norm.0.bias", row({1, 3}));
  set_parameter(model, "output.weight", matrix({{1, 10}}));
  set_parameter(model, "output.bias", row({7}));
}

/// Logits of the model in float64, without dropout.
inline at::Tensor exact_logits(NodeModel& model, const Graph& graph,
                               const NodeFeatures& features) {
  const torch::NoGradGuard no_grad;
  model.to(at::kDouble);
  return model.forward(graph, features, {});
}

}  // namespace ordered_gnn::nn
