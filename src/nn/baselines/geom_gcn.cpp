#include "nn/baselines/geom_gcn.h"

#include <torch/types.h>

#include <cmath>

#include "nn/parameters.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kRelations = 4;

// [E, 4]: 1 in the column of the relation that the sender of an edge has to its
// receiver, else 0.
at::Tensor relations(const Graph& graph, const at::Tensor& position,
                     const at::TensorOptions& options) {
  const auto ahead = [&](int64_t axis) {
    const at::Tensor place = position.select(1, axis);
    return edge_scores(graph, place, -place).ge(0);
  };
  const at::Tensor right = ahead(0), upper = ahead(1);
  return at::stack(
             {upper & ~right, upper & right, ~upper & ~right, ~upper & right},
             1)
      .to(options.dtype());
}

// One neighbourhood with what all layers need to know of it.
struct Neighbourhood {
  Neighbourhood(const Graph& of, const at::Tensor& position,
                const at::TensorOptions& options)
      : graph(of),
        weight(relations(of, position, options)),
        root(of.inverse_in_degree().sqrt().to(options.dtype()).unsqueeze(1)) {}

  // The sum over all relations of what their neighbours send, each of the four
  // parts of a row being for one.
  at::Tensor sum(const at::Tensor& rows) const {
    const at::Tensor parts = weighted_aggregate(graph, weight, rows * root);
    return parts.view({parts.size(0), kRelations, rows.size(1) / kRelations})
               .sum(1) *
           root;
  }

  const Graph graph;
  const at::Tensor weight;
  const at::Tensor root;
};

}  // namespace

GeomGcn::Layer::Layer(const ModelShape& shape, int64_t in, int64_t out,
                      RandomStream& random) {
  weight = register_parameter(
      "weight", glorot(empty_weight(shape, in, 2 * kRelations * out), random));
  bias = register_parameter("bias", constant_parameter({out}, 0));
}

GeomGcn::GeomGcn(const ModelShape& shape, const ModelOptions& options,
                 int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    layers_.push_back(std::make_shared<Layer>(
        shape, k == 0 ? 0 : options.hidden,
        k + 1 == options.layers ? shape.num_classes : options.hidden, random));
  }
  register_parts(*this, "layers", layers_);
}

at::Tensor GeomGcn::forward(const Graph& graph, const NodeFeatures& features,
                            const ForwardContext& context,
                            ForwardTrace* trace) {
  const auto* const layout =
      dynamic_cast<const Layout*>(context.preparation.get());
  TORCH_CHECK(
      layout != nullptr && layout->space.position.size(0) == graph.num_nodes(),
      "geom_gcn: the context has no layout of this graph; hand it what "
      "prepare() makes of the data");
  const data::LatentSpace& latent = layout->space;
  const at::TensorOptions options = layers_.front()->bias.options();
  const Neighbourhood in_graph(graph, latent.position, options);
  const Neighbourhood in_plane(latent.neighbours, latent.position, options);
  DropoutSites sites(context);
  LayerInput x{features, {}};
  at::Tensor y;
  for (size_t k = 0; k < layers_.size(); ++k) {
    if (k > 0) x.h = y.relu();
    const Layer& layer = *layers_[k];
    const std::vector<at::Tensor> halves =
        dropped_linear(x, layer.weight, {}, options_.dropout_theta, sites)
            .chunk(2, /*dim=*/1);
    y = in_graph.sum(halves[0]) + in_plane.sum(halves[1]) + layer.bias;
  }
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : y;
  return y;
}

std::shared_ptr<const ModelPreparation> GeomGcn::prepare(
    const NodeDataset& data, const PreparationOptions& options) const {
  const data::GraphEmbedding& embedding =
      options_.embedding == Embedding::isomap ? data::kIsomap : data::kSpectral;
  return std::make_shared<Layout>(
      data::latent_space_of(data, embedding, {options.cache, options.note}));
}

Json GeomGcn::defaults() {
  return {{"self-loops", "add"},   {"layers", 2},   {"hidden", 48},
          {"embedding", "isomap"}, {"lr", 0.05},    {"dropout-theta", 0.5},
          {"l2-theta", 5e-6},      {"l2-xi", 5e-6}, {"epochs", 500},
          {"patience", 100}};
}

}  // namespace ordered_gnn::nn
