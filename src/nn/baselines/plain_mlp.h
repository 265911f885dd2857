#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// The network in front of a propagation, without norms:
///
///   H_0 = X,  H_i = relu(Linear(dropout(H_i-1)))  for i = 1 .. M
///   logits = Linear(dropout(H_M))
///
/// It is the network of APPNP (2019) and GPR-GNN (2021); the baseline of the
/// Ordered GNN's paper is Mlp. Reads mlp-layers (M), hidden and dropout-theta.
/// Registers `input.I` and the last layer on its owner.
class PlainMlp {
 public:
  /// @param last  name of the last layer, which decides its optimiser group.
  PlainMlp(torch::nn::Module& owner, const std::string& last,
           const ModelPlan& plan);
  at::Tensor forward(Pass& pass) const;

 private:
  double dropout_;
  std::vector<std::shared_ptr<Affine>> hidden_;
  std::shared_ptr<Affine> last_;
};

}  // namespace ordered_gnn::nn
