#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "nn/baselines/layer_attention.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// Puts the states h_1 .. h_K of a network's layers together, see Jumping.
class JumpingStates {
 public:
  /// Registers `jumping` on the owner where it learns something (lstm).
  JumpingStates(torch::nn::Module& owner, const ModelOptions& options,
                RandomStream& random);
  /// @param states  K of them, [N, D] each.  @return [N, width()].
  at::Tensor forward(const std::vector<at::Tensor>& states) const;
  /// K D where states are concatenated, else D.
  int64_t width() const { return width_; }

 private:
  Jumping kind_;
  int64_t width_;
  std::shared_ptr<LayerAttention> attention_;  ///< for Jumping::lstm
};

}  // namespace ordered_gnn::nn
