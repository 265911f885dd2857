#include "nn/baselines/gat.h"

#include <torch/types.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::nn {

Gat::Gat(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  for (int64_t k = 0; k < options.layers; ++k) {
    const int64_t in = k == 0 ? 0 : options.hidden;
    const AttentionSize size =
        k + 1 == options.layers
            ? AttentionSize{options.output_heads, shape.num_classes,
                            shape.num_classes}
            : AttentionSize{options.heads, options.hidden / options.heads,
                            options.hidden};
    layers_.push_back(std::make_shared<AttentionConvolution>(
        shape, in, size, options.dropout_xi, random));
  }
  register_parts(*this, "layers", layers_);
}

at::Tensor Gat::forward(const Graph& graph, const NodeFeatures& features,
                        const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  LayerInput x{features, {}};
  for (size_t k = 0; k + 1 < layers_.size(); ++k) {
    x.h = at::elu(layers_[k]->forward(graph, x, p, sites));
    trace_layer(trace, static_cast<int64_t>(k) + 1, x.h);
  }
  const AttentionConvolution& last = *layers_.back();
  const at::Tensor heads = last.attended(graph, x, p, sites);
  const at::Tensor logits =
      heads.view({heads.size(0), last.source.size(0), last.source.size(1)})
          .mean(1) +
      last.bias;
  trace_layer(trace, static_cast<int64_t>(layers_.size()), logits);
  if (trace != nullptr) trace->embeddings = x.h.defined() ? x.h : logits;
  return logits;
}

Json Gat::defaults() {
  return {{"self-loops", "add"}, {"layers", 2},       {"hidden", 64},
          {"heads", 8},          {"output-heads", 1}, {"dropout-theta", 0.6},
          {"dropout-xi", 0.6},   {"lr", 0.005},       {"l2-theta", 5e-4},
          {"l2-xi", 5e-4},       {"patience", 100}};
}

void Gat::check(const ModelOptions& options) {
  if (options.hidden % options.heads != 0) {
    throw UsageError(
        fmt::format("hidden {} is not divisible by heads {}: every attention "
                    "head must have the same width",
                    options.hidden, options.heads));
  }
}

}  // namespace ordered_gnn::nn
