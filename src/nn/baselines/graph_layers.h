#pragma once
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>

#include <memory>
#include <string>
#include <vector>

#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::nn {

/// Hands out the dropout sites of one forward pass in the order of the calls.
class DropoutSites {
 public:
  explicit DropoutSites(const ForwardContext& context) : context_(context) {}
  DropoutKey next() { return {context_.seed, context_.step, used_++}; }
  /// `p` while training, else 0.
  double rate(double p) const { return context_.training ? p : 0.0; }
  /// dropout(x) at the next site while training, else x.
  at::Tensor drop(const at::Tensor& x, double p);

 private:
  ForwardContext context_;
  int64_t used_ = 0;
};

/// What a layer reads: the rows `h`, or the features while h is undefined.
struct LayerInput {
  const NodeFeatures& features;
  at::Tensor h;
};

/// dropout(x) W^T + b at the given site. An undefined bias stands for zeros.
/// @param weight  [O, I], for features as empty_weight() makes it.
at::Tensor dropped_linear(const LayerInput& x, const at::Tensor& weight,
                          const at::Tensor& bias, double p,
                          const DropoutKey& key);

/// The same at the next site, without dropout outside training.
at::Tensor dropped_linear(const LayerInput& x, const at::Tensor& weight,
                          const at::Tensor& bias, double p,
                          DropoutSites& sites);

/// Memory for a weight [out, in]; `in` = 0 stands for the features, see
/// empty_first_weight().
at::Tensor empty_weight(const ModelShape& shape, int64_t in, int64_t out);

/// [out, in] drawn uniformly from +-sqrt(6 / (in + out)) (Glorot and Bengio).
at::Tensor glorot(at::Tensor empty, RandomStream& random);

/// Any shape, drawn uniformly from +-bound.
at::Tensor uniform(at::Tensor empty, double bound, RandomStream& random);

/// A weight [O, I] without a bias.
struct Weight : torch::nn::Module {
  explicit Weight(const at::Tensor& initial)
      : weight(register_parameter("weight", initial)) {}
  at::Tensor weight;
};

/// A row of parameters for every node, added up over its neighbours:
/// y[v] = sum_{u in N(v)} W[u] + b, a Linear of the node's row of the
/// adjacency. `weight` [N, out] and `bias` [out] are drawn uniformly from
/// +-1/sqrt(N). Weights of edges are not read.
struct RowPerNode : torch::nn::Module {
  RowPerNode(int64_t num_nodes, int64_t out, RandomStream& random);
  at::Tensor forward(const Graph& graph) const;
  at::Tensor weight;
  at::Tensor bias;
};

/// [N, classes]: 1 where a node's label is known, else 0. Null stands for no
/// labels.
at::Tensor one_hot_labels(const KnownLabels* known, int64_t num_nodes,
                          int64_t num_classes,
                          const at::TensorOptions& options);

/// Log of the rows of `scores` as shares of their sums, a share being at least
/// 1e-12: the softmax of it gives the shares back. Scores below 0 count as 0; a
/// row without any score becomes equal shares.
at::Tensor log_shares(const at::Tensor& scores);

/// Rows divided by their length; a row shorter than 1e-12 stays as good as 0.
at::Tensor unit_rows(const at::Tensor& h);

/// A layer that reads a graph: rows of width `in` become rows of width `out`.
struct Convolution : torch::nn::Module {
  /// y of dropout(x), without an activation.
  virtual at::Tensor forward(const Graph& graph, const LayerInput& x, double p,
                             DropoutSites& sites) const = 0;
};

/// Graph convolution y = Â (x W^T) + b with Â = D^-1/2 A D^-1/2, D the
/// in-degrees (at least 1). With loops added to the graph this is the
/// "renormalised" adjacency. W starts as glorot(), b at 0.
struct GraphConvolution : Convolution {
  /// @param in  0 for a layer that reads the features.
  GraphConvolution(const ModelShape& shape, int64_t in, int64_t out,
                   RandomStream& random);
  at::Tensor forward(const Graph& graph, const LayerInput& x, double p,
                     DropoutSites& sites) const override;
  at::Tensor weight;
  at::Tensor bias;
};

/// Layer of GraphSAGE y = x S + aggregate(x T) + b, which for mean, gcn and sum
/// is W [x ; aggregate(x)]. The weight [2 out, in] holds the rows of S, then
/// those of T; it starts as glorot(), b at 0.
struct SageConvolution : Convolution {
  /// @param in  0 for a layer that reads the features.
  SageConvolution(const ModelShape& shape, Aggregator aggregator, int64_t in,
                  int64_t out, RandomStream& random);
  at::Tensor forward(const Graph& graph, const LayerInput& x, double p,
                     DropoutSites& sites) const override;
  at::Tensor weight;
  at::Tensor bias;
  std::shared_ptr<AggregateStage> aggregate;
};

/// Registers `name` on `owner`, with the parts as name.0, name.1, ...
template <typename Part>
void register_parts(torch::nn::Module& owner, const std::string& name,
                    const std::vector<std::shared_ptr<Part>>& parts) {
  torch::nn::ModuleList list;
  for (const auto& part : parts) list->push_back(part);
  owner.register_module(name, list.ptr());
}

}  // namespace ordered_gnn::nn
