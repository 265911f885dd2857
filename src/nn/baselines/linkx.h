#pragma once
#include <memory>
#include <string>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/model_options.h"

namespace ordered_gnn::nn {

/// LINKX of "Large Scale Learning on Non-Homophilous Graphs: New Benchmarks and
/// Strong Simple Methods" (2021): a perceptron of a node's row of the adjacency
/// and one of its features, put together by a third:
///
///   h_A[v] = later(sum_{u in N(v)} W[u] + b)
///   h_X    = later(Linear(X))
///   logits = output(relu(V [h_A ; h_X] + c + h_A + h_X))
///
/// A perceptron of n layers is Linear, then n - 1 times Linear(dropout(norm(
/// relu(h)))) with batch norm; later() is what follows its first Linear. The
/// towers A and X have `layers` layers and no dropout, the output has
/// `mlp-layers` and dropout-theta. All layers are `hidden` wide.
///
/// Reads layers, hidden, mlp-layers and dropout-theta. W is
/// `adjacency.first.weight` [N, D], one row per node, so that a trained model
/// is good for its own graph only; no N x N matrix is built. Its tower and
/// `combine` are xi, `input.*` (the tower of features) and `output.*` theta;
/// the paper has one decay.
///
/// Defaults are of the paper's grid: towers of one layer, an output of two,
/// width 128 (it tries 16 to 256), dropout 0.5, 500 epochs of Adam at 0.01
/// with L2 0.001, which the paper decays apart from the gradient.
class Linkx : public NodeModel {
 public:
  Linkx(const ModelShape& shape, const ModelOptions& options, int64_t seed);
  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace = nullptr) override;
  bool needs_whole_graph() const override { return true; }
  static Json defaults();
  /// ModelEntry::why_unread: an output of one layer drops nothing.
  static std::string why_unread(const ModelOptions& options,
                                const std::string& option);

 private:
  /// A norm with the Linear behind it.
  struct LaterLayer : torch::nn::Module {
    LaterLayer(int64_t in, int64_t out, RandomStream& random);
    std::shared_ptr<Normalization> norm;
    std::shared_ptr<Affine> linear;
  };
  /// A perceptron whose first map is of the kind First.
  template <typename First>
  struct Perceptron : torch::nn::Module {
    /// @param out  width of the last of `layers` layers.
    Perceptron(std::shared_ptr<First> map, int64_t layers, int64_t width,
               int64_t out, RandomStream& random);
    std::shared_ptr<First> first;
    std::vector<std::shared_ptr<LaterLayer>> later;
  };
  static at::Tensor run(const std::vector<std::shared_ptr<LaterLayer>>& later,
                        at::Tensor h, double dropout,
                        const ForwardContext& context, DropoutSites& sites);

  ModelOptions options_;
  std::shared_ptr<Perceptron<RowPerNode>> adjacency_;
  std::shared_ptr<Perceptron<Affine>> input_;
  std::shared_ptr<Affine> combine_;
  std::shared_ptr<Perceptron<Affine>> output_;
};

}  // namespace ordered_gnn::nn
