#include "nn/node_id_tower.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {

NodeIdTower::NodeIdTower(torch::nn::Module& owner, const ModelShape& shape,
                         const OrderedGnnOptions& options, RandomStream& random)
    : kind_(options.node_ids),
      dropout_(options.dropout_theta),
      rows_(std::make_shared<Rows>()),
      norm_(std::make_shared<Normalization>(Norm::layer, options.hidden)) {
  const double bound =
      1.0 / std::sqrt(std::max(1.0, static_cast<double>(shape.num_nodes)));
  at::Tensor weight = empty_parameter({shape.num_nodes, options.hidden});
  at::Tensor bias = empty_parameter({options.hidden});
  fill_uniform(weight, -bound, bound, random);
  fill_uniform(bias, -bound, bound, random);
  rows_->weight = rows_->register_parameter("weight", weight);
  rows_->bias = rows_->register_parameter("bias", bias);
  owner.register_module("node_ids", rows_);
  owner.register_module("node_ids_norm", norm_);
}

at::Tensor NodeIdTower::forward(const Graph& graph,
                                const ForwardContext& context,
                                int64_t site) const {
  const at::Tensor& weight = rows_->weight;
  TORCH_CHECK(graph.num_nodes() == weight.size(0),
              "the model has parameters for ", weight.size(0),
              " nodes, but the graph has ", graph.num_nodes(),
              "; use the graph that it was trained on");
  const double p = context.training ? dropout_ : 0.0;
  const at::Tensor rows =
      dropout(weight, p, {context.seed, context.step, site});
  const at::Tensor heard =
      kind_ == NodeIds::id ? rows : sum_aggregate(graph, rows);
  return norm_->forward((heard + rows_->bias).relu(), context.training);
}

}  // namespace ordered_gnn::nn
