#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/dropout.h"
#include "ops/detail/gated_layer.h"
#include "ordered_gnn/ops/candidate_layer.h"

namespace ordered_gnn::detail {

/// Widest rows of a layer on a GPU, whose kernels hold one in registers.
constexpr int64_t kWidestOnGpu = 256;

/// A RowNorm as ops take it; nothing stands for an undefined tensor.
struct NormArguments {
  optional<at::Tensor> weight, bias;
  optional<at::Tensor> running_mean, running_var;
  int64_t mode = 0;  ///< a NormMode

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.weight, self.bias, self.running_mean, self.running_var,
                    self.mode);
  }
};

/// What a layer makes of rows once their neighbours are summed up.
struct CandidateArguments {
  at::Tensor h;
  optional<at::Tensor> prev_gate;  ///< read in mode softor only
  at::Tensor gate_weight, gate_bias;
  at::Tensor candidate_weight, candidate_bias;
  NormArguments candidate_norm, norm;
  int64_t mode = 0;  ///< a GateMode: ordered or softor
  double eps = 0;
  double momentum = 0;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.h, self.prev_gate, self.gate_weight, self.gate_bias,
                    self.candidate_weight, self.candidate_bias,
                    self.candidate_norm, self.norm, self.mode, self.eps,
                    self.momentum, self.dropout);
  }
};

/// Arguments of the registered op `candidate_layer`.
using CandidateLayerArguments = GatedLayerArguments<CandidateArguments>;

/// What backward reads of a norm.
struct KeptNorm {
  optional<at::Tensor> weight, bias;
  optional<at::Tensor> statistics;  ///< see CandidateLayerOutputs
  int64_t mode = 0;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.weight, self.bias, self.statistics, self.mode);
  }
};

/// What backward of a layer reads of its forward pass.
struct KeptCandidateLayer {
  at::Tensor h;
  optional<at::Tensor> prev_gate;
  at::Tensor gate_weight, candidate_weight;
  at::Tensor gate;
  optional<at::Tensor> m;  ///< nothing: gathered again, by the CPU alone
  at::Tensor logits, pre;
  KeptNorm candidate_norm, norm;
  int64_t mode = 0;
  Dropout dropout;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.h, self.prev_gate, self.gate_weight,
                    self.candidate_weight, self.gate, self.m, self.logits,
                    self.pre, self.candidate_norm, self.norm, self.mode,
                    self.dropout);
  }
};

/// Arguments of the registered op `candidate_layer_backward`.
using CandidateLayerBackwardArguments =
    GatedLayerBackwardArguments<KeptCandidateLayer>;

/// Results of the registered op `candidate_layer`: out [N, D], gate [N, G], and
/// for backward m [N, D], logits [N, G], pre [N, D] and the statistics of the
/// candidate's norm and of the layer's. These are mean and 1 / sqrt(variance +
/// eps), [2, N] in mode layer and [2, D] in modes batch and fixed, of the type
/// of the parameters; without a norm they are undefined. Without `keep` all but
/// out and gate are undefined, and m is undefined too where gathering it again
/// is cheaper; the registered op has left_out() for what is undefined here.
using CandidateLayerOutputs =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor>;

/// Calls the registered op.
CandidateLayerOutputs candidate_layer(const CandidateLayerArguments& arguments);

/// Gradients of h, prev_gate, gate_weight, gate_bias, candidate_weight,
/// candidate_bias, and weight and bias of the candidate's norm and of the
/// layer's; those of a norm that is none are undefined.
using CandidateLayerGradients =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op. With `reuse_memory` the first gradient may be
/// grad_out, the second gate or grad_gate, and logits and pre may be
/// overwritten.
CandidateLayerGradients candidate_layer_backward(
    const CandidateLayerBackwardArguments& arguments);

/// The same, where the gradient of m, the second, is not yet handed to the rows
/// that m was made of: the first is that of the layer's own use of h.
using CandidateRowGradients =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
               at::Tensor>;

/// Calls the registered op, which the CPU has.
CandidateRowGradients candidate_layer_rows_backward(
    const CandidateLayerBackwardArguments& arguments);

/// What backward needs of a layer.
KeptCandidateLayer kept_of(const CandidateArguments& layer,
                           const CandidateLayerOutputs& results);

void check_candidate_layer(const CandidateLayerArguments& arguments);

}  // namespace ordered_gnn::detail
