#include "nn/baselines/geom_gcn.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
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

class GeomGcn : public Baseline {
 public:
  explicit GeomGcn(const ModelPlan& plan) : Baseline(plan) {
    layers_ = register_layers(layers_to_classes<Layer>(plan));
  }

  at::Tensor run(Pass& pass) override {
    const auto* const layout =
        dynamic_cast<const GeomLayout*>(pass.context.preparation.get());
    TORCH_CHECK(
        layout != nullptr &&
            layout->space.position.size(0) == pass.graph.num_nodes(),
        "geom_gcn: the context has no layout of this graph; hand it what "
        "prepare() makes of the data");
    const data::LatentSpace& latent = layout->space;
    const at::TensorOptions options = layers_.front()->bias.options();
    const Neighbourhood in_graph(pass.graph, latent.position, options);
    const Neighbourhood in_plane(latent.neighbours, latent.position, options);
    LayerInput x = pass.first();
    at::Tensor y;
    for (size_t k = 0; k < layers_.size(); ++k) {
      if (k > 0) x.h = y.relu();
      const Layer& layer = *layers_[k];
      const std::vector<at::Tensor> halves =
          dropped_linear(x, layer.weight, {}, options_.dropout_theta,
                         pass.sites)
              .chunk(2, /*dim=*/1);
      y = in_graph.sum(halves[0]) + in_plane.sum(halves[1]) + layer.bias;
    }
    pass.embed(x, y);
    return y;
  }

  std::shared_ptr<const ModelPreparation> prepare(
      const NodeDataset& data,
      const PreparationOptions& options) const override {
    const data::GraphEmbedding& embedding =
        options_.embedding == Embedding::isomap ? data::kIsomap
                                                : data::kSpectral;
    return std::make_shared<GeomLayout>(
        data::latent_space_of(data, embedding, {options.cache, options.note}));
  }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t out,
          RandomStream& random) {
      weight = register_parameter(
          "weight",
          glorot(empty_weight(shape, in, 2 * kRelations * out), random));
      bias = register_parameter("bias", constant_parameter({out}, 0));
    }

    at::Tensor weight;
    at::Tensor bias;
  };

  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeGeomGcn = &make_baseline<GeomGcn>;

}  // namespace ordered_gnn::nn
