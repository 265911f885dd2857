#include "nn/baselines/mixhop.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

// Â^j applied to block j of the columns: each propagation takes along the
// blocks that still need it.
std::vector<at::Tensor> powers_of(const Graph& graph, const at::Tensor& y,
                                  int64_t hops) {
  const int64_t width = y.size(1) / (hops + 1);
  std::vector<at::Tensor> blocks;
  at::Tensor rest = y;
  for (int64_t j = 0; j < hops; ++j) {
    const std::vector<at::Tensor> part =
        rest.split_with_sizes({width, (hops - j) * width}, /*dim=*/1);
    blocks.push_back(part[0]);
    rest = gcn_aggregate(graph, part[1]);
  }
  blocks.push_back(rest);
  return blocks;
}

class MixHop : public Baseline {
 public:
  explicit MixHop(const ModelPlan& plan) : Baseline(plan) {
    const int64_t powers = options_.hops + 1;
    for (int64_t k = 0; k < options_.layers; ++k) {
      const bool is_last = k + 1 == options_.layers;
      const int64_t out =
          is_last ? powers * plan.shape.num_classes : options_.hidden;
      layers_.push_back(std::make_shared<Weight>(
          glorot(empty_weight(plan.shape, k == 0 ? 0 : options_.hidden, out),
                 plan.random)));
      if (is_last) break;
      norms_.push_back(
          std::make_shared<Normalization>(options_.norm, options_.hidden));
    }
    register_first_apart(layers_);
    register_parts(*this, "norms", norms_);
    shares_ = register_parameter("shares", constant_parameter({powers}, 0));
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    const auto powers = [&](const Weight& layer) {
      const double p =
          x.h.defined() ? options_.dropout_xi : options_.dropout_theta;
      return powers_of(pass.graph,
                       dropped_linear(x, layer.weight, {}, p, pass.sites),
                       options_.hops);
    };
    for (size_t k = 0; k + 1 < layers_.size(); ++k) {
      x.h = norms_[k]
                ->forward(at::cat(powers(*layers_[k]), /*dim=*/1),
                          pass.context.training)
                .relu();
      pass.show((static_cast<int64_t>(k) + 1) * options_.hops, x.h);
    }
    const std::vector<at::Tensor> last = powers(*layers_.back());
    const at::Tensor share = shares_.softmax(/*dim=*/0);
    at::Tensor logits = last[0] * share[0];
    for (size_t j = 1; j < last.size(); ++j) {
      logits = logits + last[j] * share[static_cast<int64_t>(j)];
    }
    pass.embed(x, logits);
    pass.show(static_cast<int64_t>(layers_.size()) * options_.hops, logits);
    return logits;
  }

 private:
  std::vector<std::shared_ptr<Weight>> layers_;
  std::vector<std::shared_ptr<Normalization>> norms_;
  at::Tensor shares_;
};

}  // namespace

const MakeModel kMakeMixhop = &make_baseline<MixHop>;

void check_mixhop(const ModelOptions& options) {
  if (options.hidden % (options.hops + 1) != 0) {
    throw UsageError(
        fmt::format("hidden {} is not divisible by {}, the number of powers 0 "
                    "to {} (--hops): each has the same part of the width",
                    options.hidden, options.hops + 1, options.hops));
  }
}

}  // namespace ordered_gnn::nn
