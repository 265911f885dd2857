#include "nn/baselines/gprgnn.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/baselines/plain_mlp.h"
#include "nn/parameters.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

std::vector<double> absolute_shares(std::vector<double> values) {
  double total = 0;
  for (const double value : values) total += std::abs(value);
  for (double& value : values) value /= std::max(total, 1e-300);
  return values;
}

std::vector<double> first_hop_weights(const ModelOptions& options,
                                      RandomStream& random) {
  const int64_t hops = options.hops;
  std::vector<double> gamma(hops + 1, 0.0);
  switch (options.hop_weights) {
    case HopWeights::ppr:
      for (int64_t k = 0; k < hops; ++k) {
        gamma[k] = options.alpha * std::pow(1 - options.alpha, k);
      }
      gamma[hops] = std::pow(1 - options.alpha, hops);
      return gamma;
    case HopWeights::nppr:
      for (int64_t k = 0; k <= hops; ++k) gamma[k] = std::pow(options.alpha, k);
      return absolute_shares(gamma);
    case HopWeights::last:
      gamma[hops] = 1;
      return gamma;
    case HopWeights::random:
      break;
  }
  const double bound = std::sqrt(3.0 / static_cast<double>(hops + 1));
  for (double& value : gamma) value = bound * (2 * random.uniform() - 1);
  return absolute_shares(gamma);
}

class GprGnn : public Baseline {
 public:
  explicit GprGnn(const ModelPlan& plan) : Baseline(plan) {
    mlp_ = std::make_unique<PlainMlp>(*this, "output", plan);
    at::Tensor gamma = empty_parameter({options_.hops + 1});
    if (!gamma.is_meta()) {
      gamma.copy_(torch::tensor(first_hop_weights(options_, plan.random)));
    }
    gamma_ = register_parameter("gamma", gamma);
  }

  at::Tensor run(Pass& pass) override {
    at::Tensor z = pass.sites.drop(mlp_->forward(pass), options_.dropout_xi);
    at::Tensor logits = z * gamma_[0];
    pass.show(0, logits);
    for (int64_t k = 1; k <= options_.hops; ++k) {
      z = gcn_aggregate(pass.graph, z);
      logits = logits + z * gamma_[k];
      pass.show(k, logits);
    }
    return logits;
  }

  at::Tensor classify(const at::Tensor& state) const override { return state; }

 private:
  std::unique_ptr<PlainMlp> mlp_;
  at::Tensor gamma_;
};

}  // namespace

const MakeModel kMakeGprgnn = &make_baseline<GprGnn>;

}  // namespace ordered_gnn::nn
