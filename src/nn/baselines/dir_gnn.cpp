#include "nn/baselines/dir_gnn.h"

#include <torch/types.h>

#include <cmath>
#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/baselines/jumping.h"
#include "nn/parameters.h"
#include "ops/detail/scaled_aggregate.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {
namespace {

bool has_own_part(const ModelOptions& options) {
  return options.convolution == ConvolutionKind::sage;
}

// Maps that a layer has side by side: of the node itself, of those that send to
// it and of those that it sends to.
int64_t num_parts(const ModelOptions& options) {
  return (has_own_part(options) ? 1 : 0) + (options.alpha < 1 ? 1 : 0) +
         (options.alpha > 0 ? 1 : 0);
}

// Sums over both neighbourhoods of a graph, with their shares.
class DirectedSums {
 public:
  DirectedSums(const Graph& graph, const ModelOptions& options)
      : graph_(graph), options_(options) {
    const at::Tensor senders = graph.inverse_in_degree();
    const at::Tensor receivers =
        graph.out().rowptr.diff().clamp_min(1).to(at::kDouble).reciprocal();
    if (options.convolution == ConvolutionKind::gcn) {
      in_ = out_col_ = senders.sqrt();
      out_ = in_col_ = receivers.sqrt();
    } else {
      in_ = senders;
      out_ = receivers;
    }
    in_ = in_ * (1 - options.alpha);
    out_ = out_ * options.alpha;
  }

  const ModelOptions& options() const { return options_; }

  at::Tensor from_senders(const at::Tensor& h) const {
    return detail::scaled_aggregate(
        {detail::scaled_lists(graph_.in(), graph_.out(), in_, in_col_), h});
  }
  at::Tensor from_receivers(const at::Tensor& h) const {
    return detail::scaled_aggregate(
        {detail::scaled_lists(graph_.out(), graph_.in(), out_, out_col_), h});
  }

 private:
  const Graph& graph_;
  const ModelOptions& options_;
  at::Tensor in_, in_col_;    ///< factors of receiver and sender
  at::Tensor out_, out_col_;  ///< the same against the edges
};

class DirGnn : public Baseline {
 public:
  explicit DirGnn(const ModelPlan& plan) : Baseline(plan) {
    const bool jumps = options_.jumping != Jumping::none;
    for (int64_t k = 0; k < options_.layers; ++k) {
      const bool gives_logits = !jumps && k + 1 == options_.layers;
      layers_.push_back(std::make_shared<Layer>(
          plan.shape, options_, k == 0 ? 0 : options_.hidden,
          gives_logits ? plan.shape.num_classes : options_.hidden,
          plan.random));
    }
    register_parts(*this, "layers", layers_);
    if (!jumps) return;
    jumping_ = std::make_unique<JumpingStates>(*this, options_, plan.random);
    output_ = register_module("output", class_affine(plan, jumping_->width()));
  }

  at::Tensor run(Pass& pass) override {
    const DirectedSums directions(pass.graph, options_);
    LayerInput x = pass.first();
    std::vector<at::Tensor> states;
    for (size_t k = 0; k < layers_.size(); ++k) {
      at::Tensor y = layers_[k]->forward(directions, x, pass.sites);
      if (!jumping_ && k + 1 == layers_.size()) {
        pass.embed(x, y);
        return y;
      }
      y = pass.sites.drop(y.relu(), options_.dropout_theta);
      x.h = options_.unit_rows ? unit_rows(y) : y;
      states.push_back(x.h);
    }
    const at::Tensor all = jumping_->forward(states);
    pass.embed(all);
    return linear(all, output_->weight, output_->bias);
  }

  bool needs_whole_graph() const override { return true; }
  bool hears_both_ways() const override { return true; }

 private:
  struct Layer : torch::nn::Module {
    /// @param in  0 for the features.
    Layer(const ModelShape& shape, const ModelOptions& options, int64_t in,
          int64_t out, RandomStream& random) {
      const at::Tensor empty =
          empty_weight(shape, in, num_parts(options) * out);
      const double bound = 1 / std::sqrt(std::max<double>(1, empty.size(1)));
      weight = register_parameter("weight", uniform(empty, bound, random));
      bias = register_parameter("bias",
                                uniform(empty_parameter({out}), bound, random));
    }

    at::Tensor forward(const DirectedSums& directions, const LayerInput& x,
                       DropoutSites& sites) const {
      const ModelOptions& options = directions.options();
      const std::vector<at::Tensor> parts =
          dropped_linear(x, weight, {}, 0, sites)
              .chunk(num_parts(options), /*dim=*/1);
      auto part = parts.begin();
      at::Tensor y = bias;
      if (has_own_part(options)) y = y + *part++;
      if (options.alpha < 1) y = y + directions.from_senders(*part++);
      if (options.alpha > 0) y = y + directions.from_receivers(*part++);
      return y;
    }

    at::Tensor weight;
    at::Tensor bias;
  };

  std::vector<std::shared_ptr<Layer>> layers_;
  std::unique_ptr<JumpingStates> jumping_;  ///< null for Jumping::none
  std::shared_ptr<Affine> output_;          ///< null for Jumping::none
};

}  // namespace

const MakeModel kMakeDirGnn = &make_baseline<DirGnn>;

void check_dir_gnn(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) {
    throw UsageError("dir_gnn takes --convolution gcn or sage, not gat");
  }
}

std::string unread_by_dir_gnn(const ModelOptions& options,
                              const std::string& option) {
  return option == "l2-theta" && options.jumping == Jumping::none
             ? "with --jumping none dir_gnn has no output layer for {}"
             : "";
}

}  // namespace ordered_gnn::nn
