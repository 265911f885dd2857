#include "nn/baselines/h2gcn.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kMostRounds = 8;

// gcn_aggregate() that reads no weights: two hops have none.
at::Tensor unweighted_sum(const Graph& graph, const at::Tensor& r) {
  const at::Tensor root = graph.inverse_in_degree().sqrt();
  return scaled_aggregate(graph, root, root, r);
}

class H2Gcn : public Baseline {
 public:
  explicit H2Gcn(const ModelPlan& plan) : Baseline(plan) {
    input_ = register_input(std::make_shared<Weight>(
        glorot(empty_first_weight(plan.shape, options_.hidden), plan.random)));
    const int64_t all = options_.hidden * ((int64_t{2} << options_.layers) - 1);
    output_ = register_module(
        "output", std::make_shared<Weight>(glorot(
                      empty_weight(plan.shape, all, plan.shape.num_classes),
                      plan.random)));
  }

  at::Tensor run(Pass& pass) override {
    const Graph& two_hop = pass.graph.two_hop();
    at::Tensor r =
        dropped_linear(pass.first(), input_->weight, {}, 0, pass.sites).relu();
    std::vector<at::Tensor> rounds = {r};
    for (int64_t k = 0; k < options_.layers; ++k) {
      r = at::cat({unweighted_sum(pass.graph, r), unweighted_sum(two_hop, r)},
                  /*dim=*/1);
      rounds.push_back(r);
    }
    const at::Tensor all = at::cat(rounds, /*dim=*/1);
    pass.embed(all);
    return dropped_linear({pass.features, all}, output_->weight, {},
                          options_.dropout_theta, pass.sites);
  }

 private:
  std::shared_ptr<Weight> input_;
  std::shared_ptr<Weight> output_;
};

}  // namespace

const MakeModel kMakeH2gcn = &make_baseline<H2Gcn>;

void check_h2gcn(const ModelOptions& options) {
  if (options.layers > kMostRounds) {
    throw UsageError(
        fmt::format("h2gcn doubles its width in every round; --layers must be "
                    "at most {}, got {}",
                    kMostRounds, options.layers));
  }
}

}  // namespace ordered_gnn::nn
