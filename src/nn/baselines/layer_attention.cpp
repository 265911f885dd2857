#include "nn/baselines/layer_attention.h"

#include <torch/types.h>

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

// Outputs of the LSTM along `states`.
std::vector<at::Tensor> run_lstm(const Affine& cell,
                                 const std::vector<at::Tensor>& states) {
  std::vector<at::Tensor> outputs;
  at::Tensor out = at::zeros_like(states.front());
  at::Tensor memory = out;
  for (const at::Tensor& state : states) {
    const std::vector<at::Tensor> part =
        pair_linear(state, out, cell.weight, cell.bias).chunk(4, /*dim=*/1);
    memory = part[1].sigmoid() * memory + part[0].sigmoid() * part[3].tanh();
    out = part[2].sigmoid() * memory.tanh();
    outputs.push_back(out);
  }
  return outputs;
}

}  // namespace

LayerAttention::LayerAttention(int64_t width, RandomStream& random) {
  up = register_module("up",
                       std::make_shared<Affine>(2 * width, 4 * width, random));
  down = register_module(
      "down", std::make_shared<Affine>(2 * width, 4 * width, random));
  score =
      register_module("score", std::make_shared<Affine>(2 * width, 1, random));
}

at::Tensor LayerAttention::forward(
    const std::vector<at::Tensor>& states) const {
  const std::vector<at::Tensor> along = run_lstm(*up, states);
  const std::vector<at::Tensor> against =
      run_lstm(*down, {states.rbegin(), states.rend()});
  std::vector<at::Tensor> scores;
  for (size_t k = 0; k < states.size(); ++k) {
    scores.push_back(pair_linear(along[k], against[states.size() - 1 - k],
                                 score->weight, score->bias));
  }
  const at::Tensor share = at::cat(scores, /*dim=*/1).softmax(/*dim=*/1);
  at::Tensor sum = states[0] * share.narrow(1, 0, 1);
  for (size_t k = 1; k < states.size(); ++k) {
    sum = sum + states[k] * share.narrow(1, static_cast<int64_t>(k), 1);
  }
  return sum;
}

}  // namespace ordered_gnn::nn
