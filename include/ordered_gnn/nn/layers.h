#pragma once
#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <vector>

#include "ordered_gnn/core/random.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/options.h"
#include "ordered_gnn/ops/candidate_layer.h"

namespace ordered_gnn {

/// Memory for a weight [width, F] that reads the features, laid out for their
/// kind.
at::Tensor empty_first_weight(const ModelShape& shape, int64_t width);

/// weight [O, I] and bias [O], drawn uniformly from +-1/sqrt(I), the default of
/// torch.nn.Linear.
struct Affine : torch::nn::Module {
  Affine(at::Tensor empty_weight, RandomStream& random);
  Affine(int64_t in, int64_t out, RandomStream& random);
  at::Tensor weight;
  at::Tensor bias;
};

/// Normalisation of [N, D] rows: layer (over D), batch (over N, with running
/// statistics for evaluation) or none (no parameters).
struct Normalization : torch::nn::Module {
  Normalization(Norm kind, int64_t width);
  at::Tensor forward(const at::Tensor& x, bool training);
  /// The same as an op takes it that normalises `rows` rows on its way.
  RowNorm of_rows(int64_t rows, bool training) const;
  Norm kind;
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor running_mean;
  at::Tensor running_var;
};

/// f_theta: z = LayerNorm(relu(Linear(dropout(z)))), M times, from features of
/// any kind to width D. Registers `input.I` and `input_norm.I` on its owner.
class InputNetwork {
 public:
  InputNetwork(torch::nn::Module& owner, const ModelShape& shape,
               const OrderedGnnOptions& options, RandomStream& random);
  /// What nodes hear of rows [N, D], linear in them.
  using Messages = std::function<at::Tensor(const at::Tensor&)>;
  /// @param dropout_after  of the result; its site is sites().
  /// @param heard  where given, the first map is of what nodes hear of the
  ///               features: heard(dropout(x) W^T) + b.
  at::Tensor forward(const NodeFeatures& features,
                     const ForwardContext& context, double dropout_after,
                     const Messages& heard = {}) const;
  /// Dropout sites used, so that the next one is free.
  int64_t sites() const { return static_cast<int64_t>(linears_.size()); }

 private:
  /// The same values with less memory: what a GPU is short of.
  at::Tensor forward_stacked(const NodeFeatures& features,
                             const ForwardContext& context,
                             double dropout_after) const;

  double dropout_;
  std::vector<std::shared_ptr<Affine>> linears_;
  std::vector<std::shared_ptr<Normalization>> norms_;
};

constexpr double kNormEps = 1e-5;
/// Share of the latest rows in running statistics.
constexpr double kBatchMomentum = 0.1;

/// Factors of scaled_aggregate() that make an aggregate stage of a graph
/// without weights.
struct AggregateScales {
  at::Tensor row;  ///< undefined for ones
  at::Tensor col;  ///< undefined for ones
};

/// Aggregate stage with the parameters it needs: gat and signed have a vector
/// per end, `source` and `target`, [D] each. Mean, gcn and sum read the graph's
/// weights where it has them, see mean_aggregate(), gcn_aggregate() and
/// sum_aggregate(); max, gat and signed do not.
struct AggregateStage : torch::nn::Module {
  AggregateStage(Aggregator kind, int64_t width, RandomStream& random);
  at::Tensor forward(const Graph& graph, const at::Tensor& h) const;
  /// @throws c10::Error unless is_scaled(kind).
  AggregateScales scales(const Graph& graph) const;
  Aggregator kind;
  at::Tensor source;
  at::Tensor target;
};

}  // namespace ordered_gnn
