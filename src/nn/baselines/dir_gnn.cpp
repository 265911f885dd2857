#include "nn/baselines/dir_gnn.h"

#include <torch/types.h>

#include <cmath>

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

}  // namespace

// Sums over both neighbourhoods of a graph, with their shares.
class DirGnn::Directions {
 public:
  Directions(const Graph& graph, const ModelOptions& options)
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

DirGnn::Layer::Layer(const ModelShape& shape, const ModelOptions& options,
                     int64_t in, int64_t out, RandomStream& random) {
  const at::Tensor empty = empty_weight(shape, in, num_parts(options) * out);
  const double bound = 1 / std::sqrt(std::max<double>(1, empty.size(1)));
  weight = register_parameter("weight", uniform(empty, bound, random));
  bias = register_parameter("bias",
                            uniform(empty_parameter({out}), bound, random));
}

at::Tensor DirGnn::Layer::forward(const Directions& directions,
                                  const LayerInput& x,
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

DirGnn::DirGnn(const ModelShape& shape, const ModelOptions& options,
               int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const bool jumps = options.jumping != Jumping::none;
  for (int64_t k = 0; k < options.layers; ++k) {
    const bool gives_logits = !jumps && k + 1 == options.layers;
    layers_.push_back(std::make_shared<Layer>(
        shape, options, k == 0 ? 0 : options.hidden,
        gives_logits ? shape.num_classes : options.hidden, random));
  }
  register_parts(*this, "layers", layers_);
  if (!jumps) return;
  jumping_ = std::make_unique<JumpingStates>(*this, options, random);
  output_ = register_module(
      "output",
      std::make_shared<Affine>(jumping_->width(), shape.num_classes, random));
}

at::Tensor DirGnn::forward(const Graph& graph, const NodeFeatures& features,
                           const ForwardContext& context, ForwardTrace* trace) {
  const Directions directions(graph, options_);
  DropoutSites sites(context);
  LayerInput x{features, {}};
  std::vector<at::Tensor> states;
  for (size_t k = 0; k < layers_.size(); ++k) {
    at::Tensor y = layers_[k]->forward(directions, x, sites);
    if (!jumping_ && k + 1 == layers_.size()) {
      if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : y;
      return y;
    }
    y = sites.drop(y.relu(), options_.dropout_theta);
    x.h = options_.unit_rows ? unit_rows(y) : y;
    states.push_back(x.h);
  }
  const at::Tensor all = jumping_->forward(states);
  if (trace != nullptr) trace->embeddings = all;
  return linear(all, output_->weight, output_->bias);
}

Json DirGnn::defaults() {
  return {{"self-loops", "keep"}, {"layers", 5},          {"hidden", 128},
          {"alpha", 0.5},         {"jumping", "max"},     {"unit-rows", true},
          {"lr", 0.005},          {"dropout-theta", 0.0}, {"l2-theta", 0.0},
          {"l2-xi", 0.0},         {"patience", 400}};
}

void DirGnn::check(const ModelOptions& options) {
  if (options.convolution == ConvolutionKind::gat) {
    throw UsageError("dir_gnn takes --convolution gcn or sage, not gat");
  }
}

std::string DirGnn::why_unread(const ModelOptions& options,
                               const std::string& option) {
  return option == "l2-theta" && options.jumping == Jumping::none
             ? "with --jumping none dir_gnn has no output layer for {}"
             : "";
}

}  // namespace ordered_gnn::nn
