#include "nn/baselines/acm_gcn.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

constexpr int64_t kChannels = 3;
constexpr double kTemperature = 3;

class AcmGcn : public Baseline {
 public:
  explicit AcmGcn(const ModelPlan& plan) : Baseline(plan) {
    layers_ = register_layers(layers_to_classes<Layer>(plan));
  }

  at::Tensor run(Pass& pass) override {
    LayerInput x = pass.first();
    at::Tensor y;
    for (size_t k = 0; k < layers_.size(); ++k) {
      // A mix of what relu gives is never below 0: it needs none of its own.
      if (k > 0) x.h = y;
      const Layer& layer = *layers_[k];
      y = mixed(layer, pass.graph,
                dropped_linear(x, layer.weight, {}, options_.dropout_theta,
                               pass.sites));
      pass.show(static_cast<int64_t>(k) + 1, y);
    }
    pass.embed(x, y);
    return y;
  }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, int64_t in, int64_t out,
          RandomStream& random) {
      const auto bound = [](int64_t size) {
        return 1 / std::sqrt(std::max<double>(1, static_cast<double>(size)));
      };
      weight = register_parameter(
          "weight", uniform(empty_weight(shape, in, kChannels * out),
                            bound(out), random));
      scores = register_parameter(
          "scores", uniform(empty_parameter({kChannels, out}), 1, random));
      mix = register_parameter("mix",
                               uniform(empty_parameter({kChannels, kChannels}),
                                       bound(kChannels), random));
    }

    at::Tensor weight;
    at::Tensor scores;
    at::Tensor mix;
  };
  /// y of z = x [U ; V ; W].
  at::Tensor mixed(const Layer& layer, const Graph& graph,
                   const at::Tensor& z) const {
    const int64_t width = layer.scores.size(1);
    const auto average = [&](const at::Tensor& h) {
      return options_.aggregator == Aggregator::mean ? mean_aggregate(graph, h)
                                                     : gcn_aggregate(graph, h);
    };
    // Both sums over neighbours in one pass.
    const std::vector<at::Tensor> smooth =
        average(z.narrow(1, 0, 2 * width)).chunk(2, /*dim=*/1);
    const at::Tensor channel[kChannels] = {
        smooth[0].relu(), (z.narrow(1, width, width) - smooth[1]).relu(),
        z.narrow(1, 2 * width, width).relu()};
    std::vector<at::Tensor> scores;
    for (int64_t i = 0; i < kChannels; ++i) {
      scores.push_back(linear(channel[i], layer.scores.narrow(0, i, 1),
                              at::zeros({1}, z.options())));
    }
    const at::Tensor logits =
        linear(at::cat(scores, /*dim=*/1).sigmoid(), layer.mix / kTemperature,
               at::zeros({kChannels}, z.options()));
    const at::Tensor shares = logits.softmax(/*dim=*/1) * kChannels;
    at::Tensor y = channel[0] * shares.narrow(1, 0, 1);
    for (int64_t i = 1; i < kChannels; ++i) {
      y = y + channel[i] * shares.narrow(1, i, 1);
    }
    return y;
  }

  std::vector<std::shared_ptr<Layer>> layers_;
};

}  // namespace

const MakeModel kMakeAcmGcn = &make_baseline<AcmGcn>;

void check_acm_gcn(const ModelOptions& options) {
  if (options.aggregator == Aggregator::mean ||
      options.aggregator == Aggregator::gcn) {
    return;
  }
  throw UsageError(fmt::format(
      "acm_gcn takes what is left of an average of the neighbours, so "
      "--aggregator must be mean or gcn, not {}",
      to_string(options.aggregator)));
}

}  // namespace ordered_gnn::nn
