#pragma once
#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "ordered_gnn/nn/layers.h"

namespace ordered_gnn::nn {

/// Attention over the states of layers h_1 .. h_K, [N, D] each, node by node:
///
///   f_k, c_k = cell(h_k, f_k-1, c_k-1)        an LSTM along the layers, and
///   g_k      = the same from K down to 1      another one against them
///   s_k = <a, [f_k ; g_k]> + b
///   out = sum_k softmax_k(s) h_k
///
/// cell(x, f, c) with [i ; j ; o ; z] = W [x ; f] + b is
/// c' = sigmoid(j) c + sigmoid(i) tanh(z), f' = sigmoid(o) tanh(c').
/// Parameters: `up|down.weight` [4 D, 2 D] and `.bias` [4 D], `score.weight`
/// [1, 2 D] and `.bias` [1].
struct LayerAttention : torch::nn::Module {
  LayerAttention(int64_t width, RandomStream& random);
  at::Tensor forward(const std::vector<at::Tensor>& states) const;
  std::shared_ptr<Affine> up;
  std::shared_ptr<Affine> down;
  std::shared_ptr<Affine> score;
};

}  // namespace ordered_gnn::nn
