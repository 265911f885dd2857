#pragma once
#include <memory>
#include <vector>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn {

/// Node classifier whose neurons are ordered by hop distance:
///
///   h = f_theta(x), g = 0
///   for k in 1..K:  h = dropout_xi(h)
///                   m = aggregate(h)
///                   g = gate([h ; m] W_k^T + b_k, g)     see
///                   ops/ordered_gate.h h = norm(up(g) * h + (1 - up(g)) * m)
///                   (+ h if residual)
///   logits = Linear(dropout_theta(h))
///
/// With gating none the layer is h = norm(m). With tied gates (W, b) is one
/// parameter used by all layers.
class OrderedGnn : public NodeModel {
 public:
  /// Parameters are drawn from RandomStream(seed, kInitStream).
  /// @throws UsageError naming the option that does not fit.
  OrderedGnn(const ModelShape& shape, const OrderedGnnOptions& options,
             int64_t seed);

  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;

  const OrderedGnnOptions& options() const { return options_; }

 private:
  struct Layer : torch::nn::Module {
    std::shared_ptr<AggregateStage> aggregate;
    std::shared_ptr<Affine> gate;  // null when tied or without gating
    std::shared_ptr<Normalization> norm;
  };

  at::Tensor run_layer(size_t index, const Graph& graph, const at::Tensor& h,
                       at::Tensor& gate, bool training) const;

  OrderedGnnOptions options_;
  std::unique_ptr<InputNetwork> input_;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<Affine> tied_gate_;
  std::shared_ptr<Affine> output_;
};

}  // namespace ordered_gnn
