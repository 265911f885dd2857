#include "ordered_gnn/nn/layers.h"

#include <torch/nn/modules/container/modulelist.h>
#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ops/detail/large_rows.h"
#include "ops/detail/weighted_aggregate.h"
#include "ops/input_stack.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn {
namespace {

constexpr double kLeakySlope = 0.2;

// Ops that take no rows of 16 bits get them in 32, and their result is rounded.
template <typename Op>
at::Tensor in_float(const at::Tensor& rows, const Op& op) {
  return rows.scalar_type() == at::kBFloat16
             ? op(rows.to(at::kFloat)).to(at::kBFloat16)
             : op(rows);
}

// One node has no spread of its own: the running statistics serve.
bool uses_batch(int64_t rows, bool training) { return training && rows > 1; }

// The sums of a graph with weights.
at::Tensor weighted_stage(Aggregator kind, const Graph& graph,
                          const at::Tensor& h) {
  if (kind == Aggregator::mean) return mean_aggregate(graph, h);
  return kind == Aggregator::gcn ? gcn_aggregate(graph, h)
                                 : sum_aggregate(graph, h);
}

}  // namespace

at::Tensor empty_first_weight(const ModelShape& shape, int64_t width) {
  // Sparse kinds gather rows of the transpose, so that is what is contiguous.
  if (shape.features_kind == NodeFeatures::Kind::dense) {
    return nn::empty_parameter({width, shape.num_features});
  }
  return nn::empty_parameter({shape.num_features, width}).t();
}

Affine::Affine(at::Tensor empty_weight, RandomStream& random) {
  const double bound =
      1.0 / std::sqrt(std::max<double>(1, empty_weight.size(1)));
  at::Tensor empty_bias = nn::empty_parameter({empty_weight.size(0)});
  fill_uniform(empty_weight, -bound, bound, random);
  fill_uniform(empty_bias, -bound, bound, random);
  weight = register_parameter("weight", empty_weight);
  bias = register_parameter("bias", empty_bias);
}

Affine::Affine(int64_t in, int64_t out, RandomStream& random)
    : Affine(nn::empty_parameter({out, in}), random) {}

Normalization::Normalization(Norm kind, int64_t width) : kind(kind) {
  if (kind == Norm::none) return;
  using nn::constant_parameter;
  weight = register_parameter("weight", nn::constant_parameter({width}, 1));
  bias = register_parameter("bias", nn::constant_parameter({width}, 0));
  if (kind == Norm::batch) {
    running_mean =
        register_buffer("running_mean", nn::constant_parameter({width}, 0));
    running_var =
        register_buffer("running_var", nn::constant_parameter({width}, 1));
  }
}

at::Tensor Normalization::forward(const at::Tensor& x, bool training) {
  switch (kind) {
    case Norm::layer:
      return layer_norm(x, weight, bias, kNormEps);
    case Norm::batch: {
      return in_float(x, [&](const at::Tensor& rows) {
        return at::batch_norm(rows, weight, bias, running_mean, running_var,
                              uses_batch(x.size(0), training), kBatchMomentum,
                              kNormEps,
                              /*cudnn_enabled=*/false);
      });
    }
    case Norm::none:
      break;
  }
  return x;
}

RowNorm Normalization::of_rows(int64_t rows, bool training) const {
  NormMode mode = NormMode::none;
  if (kind == Norm::layer) mode = NormMode::layer;
  if (kind == Norm::batch) {
    mode = uses_batch(rows, training) ? NormMode::batch : NormMode::fixed;
  }
  return {mode, weight, bias, running_mean, running_var};
}

InputNetwork::InputNetwork(torch::nn::Module& owner, const ModelShape& shape,
                           const OrderedGnnOptions& options,
                           RandomStream& random)
    : dropout_(options.dropout_theta) {
  torch::nn::ModuleList linears, norms;
  for (int64_t i = 0; i < options.mlp_layers; ++i) {
    linears_.push_back(
        i == 0
            ? std::make_shared<Affine>(
                  empty_first_weight(shape, options.hidden), random)
            : std::make_shared<Affine>(options.hidden, options.hidden, random));
    norms_.push_back(
        std::make_shared<Normalization>(Norm::layer, options.hidden));
    linears->push_back(linears_.back());
    norms->push_back(norms_.back());
  }
  owner.register_module("input", linears.ptr());
  owner.register_module("input_norm", norms.ptr());
}

at::Tensor InputNetwork::forward(const NodeFeatures& features,
                                 const ForwardContext& context,
                                 double dropout_after,
                                 const Messages& heard) const {
  if (context.fused && !heard && linears_[0]->weight.is_cuda()) {
    return forward_stacked(features, context, dropout_after);
  }
  const double p = context.training ? dropout_ : 0.0;
  DropoutKey key{context.seed, context.step, 0};
  at::Tensor z;
  for (size_t i = 0; i < linears_.size(); ++i) {
    const Affine& affine = *linears_[i];
    const Normalization& norm = *norms_[i];
    if (i > 0) {
      z = linear(z, affine.weight, affine.bias);
    } else if (heard) {
      // The bias is the receiver's, not the senders'.
      const at::Tensor sums = heard(feature_linear(
          features, affine.weight, at::zeros_like(affine.bias), p, key));
      z = (sums + affine.bias).to(sums.scalar_type());
    } else {
      z = feature_linear(features, affine.weight, affine.bias, p, key);
    }
    ++key.site;
    const double next = i + 1 < linears_.size() ? p : dropout_after;
    z = context.fused
            ? layer_norm(z, norm.weight, norm.bias, {kNormEps, true, next, key})
            : dropout(layer_norm(z.relu(), norm.weight, norm.bias, kNormEps),
                      next, key);
  }
  return z;
}

at::Tensor InputNetwork::forward_stacked(const NodeFeatures& features,
                                         const ForwardContext& context,
                                         double dropout_after) const {
  const double p = context.training ? dropout_ : 0.0;
  ops::InputStackSettings settings;
  settings.norm_eps = kNormEps;
  settings.dropout = p;
  settings.dropout_key = {context.seed, context.step, 0};
  std::vector<ops::InputStackLayer> layers;
  for (size_t i = 0; i < linears_.size(); ++i) {
    layers.push_back({linears_[i]->weight, linears_[i]->bias, norms_[i]->weight,
                      norms_[i]->bias,
                      i + 1 < linears_.size() ? p : dropout_after});
  }
  const Affine& first = *linears_[0];
  at::Tensor x;
  if (features.kind() == NodeFeatures::Kind::dense) {
    x = dense_rows(features, first.weight);
  } else {
    layers[0].weight = layers[0].bias = at::Tensor();
    x = feature_linear(features, first.weight, first.bias, p,
                       settings.dropout_key);
  }
  settings.recompute =
      detail::is_large(x.size(0), first.weight.size(0), x.scalar_type());
  return ops::input_stack(x, layers, settings);
}

AggregateStage::AggregateStage(Aggregator kind, int64_t width,
                               RandomStream& random)
    : kind(kind) {
  if (kind != Aggregator::gat && kind != Aggregator::signed_) return;
  const double bound = 1.0 / std::sqrt(static_cast<double>(width));
  at::Tensor from = nn::empty_parameter({width});
  at::Tensor to = nn::empty_parameter({width});
  fill_uniform(from, -bound, bound, random);
  fill_uniform(to, -bound, bound, random);
  source = register_parameter("source", from);
  target = register_parameter("target", to);
}

AggregateScales AggregateStage::scales(const Graph& graph) const {
  TORCH_CHECK(is_scaled(kind), "this aggregate stage is no scaled sum");
  if (kind == Aggregator::mean) return {graph.inverse_in_degree(), {}};
  if (kind == Aggregator::sum) return {};
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  return {root, root};
}

at::Tensor AggregateStage::forward(const Graph& graph,
                                   const at::Tensor& h) const {
  if (!is_scaled(kind) && h.scalar_type() == at::kBFloat16) {
    return in_float(
        h, [&](const at::Tensor& rows) { return forward(graph, rows); });
  }
  const auto scores = [&] {
    return edge_scores(graph, h.mv(source), h.mv(target));
  };
  switch (kind) {
    case Aggregator::mean:
    case Aggregator::gcn:
    case Aggregator::sum: {
      if (graph.weights().defined()) return weighted_stage(kind, graph, h);
      const AggregateScales factors = scales(graph);
      return scaled_aggregate(graph, factors.row, factors.col, h);
    }
    case Aggregator::max:
      return max_aggregate(graph, h);
    case Aggregator::gat:
      return weighted_aggregate(
          graph, edge_softmax(graph, at::leaky_relu(scores(), kLeakySlope)), h);
    case Aggregator::signed_: {
      const at::Tensor share = graph.inverse_in_degree().index_select(
          0, detail::receivers(graph.in().rowptr, graph.num_edges()));
      return weighted_aggregate(graph,
                                scores().tanh() * share.to(h.scalar_type()), h);
    }
  }
  TORCH_INTERNAL_ASSERT(false);
}

}  // namespace ordered_gnn
