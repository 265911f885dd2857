#include "nn/baselines/jumping.h"

#include <torch/types.h>

namespace ordered_gnn::nn {

JumpingStates::JumpingStates(torch::nn::Module& owner,
                             const ModelOptions& options, RandomStream& random)
    : kind_(options.jumping),
      width_(options.jumping == Jumping::concat
                 ? options.layers * options.hidden
                 : options.hidden) {
  if (kind_ != Jumping::lstm) return;
  attention_ = owner.register_module(
      "jumping", std::make_shared<LayerAttention>(options.hidden, random));
}

at::Tensor JumpingStates::forward(const std::vector<at::Tensor>& states) const {
  switch (kind_) {
    case Jumping::concat:
      return at::cat(states, /*dim=*/1);
    case Jumping::max: {
      at::Tensor most = states.front();
      for (size_t k = 1; k < states.size(); ++k) {
        most = at::maximum(most, states[k]);
      }
      return most;
    }
    case Jumping::lstm:
      return attention_->forward(states);
    case Jumping::none:
      break;
  }
  return states.back();
}

}  // namespace ordered_gnn::nn
