#include "nn/baselines/appnp.h"

#include <torch/types.h>

#include <memory>

#include "nn/baselines/graph_layers.h"
#include "nn/baselines/plain_mlp.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::nn {
namespace {

// gcn_aggregate() with dropout of its edges.
at::Tensor dropped_propagation(const Graph& graph, const at::Tensor& z,
                               double p, DropoutSites& sites) {
  if (sites.rate(p) == 0) return gcn_aggregate(graph, z);
  if (graph.weights().defined()) {
    const at::Tensor kept =
        sites.drop(graph.factors().symmetric.to(z.scalar_type()), p);
    return weighted_aggregate(graph, kept, z);
  }
  const at::Tensor root =
      graph.inverse_in_degree().sqrt().to(z.scalar_type()).unsqueeze(1);
  const at::Tensor kept =
      sites.drop(at::ones({graph.num_edges()}, z.options()), p);
  return root * weighted_aggregate(graph, kept, root * z);
}

class Appnp : public Baseline {
 public:
  explicit Appnp(const ModelPlan& plan) : Baseline(plan) {
    mlp_ = std::make_unique<PlainMlp>(*this, "last", plan);
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor start = mlp_->forward(pass);
    const at::Tensor teleport = start * options_.alpha;
    at::Tensor z = start;
    pass.show(0, z);
    for (int64_t k = 0; k < options_.hops; ++k) {
      z = dropped_propagation(pass.graph, z, options_.dropout_xi, pass.sites) *
              (1 - options_.alpha) +
          teleport;
      pass.show(k + 1, z);
    }
    return z;
  }

  at::Tensor classify(const at::Tensor& state) const override { return state; }

 private:
  std::unique_ptr<PlainMlp> mlp_;
};

}  // namespace

const MakeModel kMakeAppnp = &make_baseline<Appnp>;

}  // namespace ordered_gnn::nn
