#include "nn/baselines/ggcn.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ops/detail/weighted_aggregate.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

class Ggcn : public Baseline {
 public:
  explicit Ggcn(const ModelPlan& plan) : Baseline(plan) {
    input_ = register_input(first_affine(plan, options_.hidden));
    layers_ = register_layers(layers_to_classes<Layer>(plan));
  }

  at::Tensor run(Pass& pass) override {
    const double p = options_.dropout_theta;
    const DropoutKey key = pass.sites.next();
    // Both maps of the features read the same mask.
    const auto of_features = [&](const at::Tensor& weight,
                                 const at::Tensor& bias) {
      return dropped_linear(pass.first(), weight, bias, pass.sites.rate(p),
                            key);
    };
    at::Tensor sum = at::elu(of_features(input_->weight, input_->bias));
    pass.show(0, sum);
    const Edges edges = edges_of(pass.graph, sum.scalar_type());
    at::Tensor z = of_features(layers_[0]->weight, layers_[0]->bias);
    for (size_t k = 1; k < layers_.size(); ++k) {
      const at::Tensor y =
          signed_messages(*layers_[k - 1], pass.graph, edges, z);
      const double depth =
          std::pow(static_cast<double>(k + 1), options_.exponent);
      const double decay = k == 1 ? 1.0 : std::log(options_.lambda / depth + 1);
      sum = sum + pass.sites.drop(at::elu(y), p) * decay;
      pass.show(static_cast<int64_t>(k), sum);
      z = dropped_linear({pass.features, sum}, layers_[k]->weight,
                         layers_[k]->bias, 0, key);
    }
    pass.embed(sum);
    const at::Tensor logits =
        signed_messages(*layers_.back(), pass.graph, edges, z);
    pass.show(static_cast<int64_t>(layers_.size()), logits);
    return logits;
  }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t out,
          RandomStream& random) {
      at::Tensor empty = empty_weight(shape, in, out);
      const double bound = 1 / std::sqrt(std::max<double>(1, empty.size(1)));
      weight = register_parameter("weight", uniform(empty, bound, random));
      bias = register_parameter("bias",
                                uniform(empty_parameter({out}), bound, random));
      at::Tensor start = constant_parameter({2}, 0);
      if (!start.is_meta()) start[0] = 0.5;
      degree = register_parameter("degree", start);
      scale = register_parameter("scale", constant_parameter({1}, 2));
      shares = register_parameter("shares", constant_parameter({3}, 0));
    }

    at::Tensor weight;
    at::Tensor bias;
    at::Tensor degree;
    at::Tensor scale;
    at::Tensor shares;
  };
  /// What the layers of one pass share, per edge.
  struct Edges {
    at::Tensor norm;   ///< 1 / sqrt(d_i d_j), 0 for loops
    at::Tensor ratio;  ///< sqrt(d_j / d_i) - 1
  };
  static Edges edges_of(const Graph& graph, at::ScalarType type) {
    const at::NoGradGuard no_grad;
    const at::Tensor root = graph.inverse_in_degree().sqrt();
    const at::Tensor& senders = graph.in().col;
    const at::Tensor receivers =
        detail::receivers(graph.in().rowptr, graph.num_edges());
    const at::Tensor of_sender = root.index_select(0, senders);
    const at::Tensor of_receiver = root.index_select(0, receivers);
    const at::Tensor norm = of_sender * of_receiver * receivers.ne(senders);
    return {norm.to(type), (of_receiver / of_sender - 1).to(type)};
  }

  static at::Tensor signed_messages(const Layer& layer, const Graph& graph,
                                    const Edges& edges, const at::Tensor& z) {
    const at::Tensor unit = unit_rows(z);
    const at::Tensor tau =
        at::softplus(edges.ratio * layer.degree[0] + layer.degree[1]);
    const at::Tensor w = edge_dot(graph, unit, unit) * edges.norm * tau;
    const at::Tensor c = layer.shares.softmax(/*dim=*/0);
    // Both sums in one pass over the edges.
    const at::Tensor weight = w.clamp_min(0) * c[0] + w.clamp_max(0) * c[1];
    return at::softplus(layer.scale) *
           (weighted_aggregate(graph, weight, z) + z * c[2]);
  }

  std::shared_ptr<Affine> input_;
  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeGgcn = &make_baseline<Ggcn>;

void check_ggcn(const ModelOptions& options) {
  require_two_layers("ggcn", options);
}

}  // namespace ordered_gnn::nn
