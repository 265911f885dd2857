#include "nn/baselines/fsgnn.h"

#include <torch/types.h>

#include "nn/parameters.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

int64_t num_hop_maps(const ModelOptions& options) {
  return 2 * options.hops + 1;
}

// Appends the parts of `h`, the first of them after one step, the second after
// two, and so on. A part that has arrived is not carried on.
template <typename Step>
void append_moved(const Step& step, at::Tensor h, int64_t width,
                  std::vector<at::Tensor>& parts) {
  while (true) {
    h = step(h);
    parts.push_back(h.narrow(1, 0, width));
    if (h.size(1) == width) return;
    h = h.narrow(1, width, h.size(1) - width);
  }
}

}  // namespace

Fsgnn::Fsgnn(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t all = num_hop_maps(options) * options.hidden;
  input_ = std::make_shared<Affine>(empty_first_weight(shape, all), random);
  register_parts(*this, "input", std::vector<std::shared_ptr<Affine>>{input_});
  shares_ = register_parameter("shares",
                               constant_parameter({num_hop_maps(options)}, 1));
  output_ = register_module(
      "output", std::make_shared<Affine>(all, shape.num_classes, random));
}

at::Tensor Fsgnn::moved(const Graph& graph, const at::Tensor& z) const {
  const int64_t width = options_.hidden;
  const int64_t of_hops = options_.hops * width;
  const at::Tensor degree = graph.in().rowptr.diff().to(at::kDouble);
  const at::Tensor root = degree.clamp_min(1).rsqrt();
  const at::Tensor looped = (degree + 1).rsqrt();
  const at::Tensor share = (degree + 1).reciprocal().to(z.scalar_type());
  std::vector<at::Tensor> parts = {z.narrow(1, 0, width)};
  append_moved(
      [&](const at::Tensor& h) {
        return scaled_aggregate(graph, root, root, h);
      },
      z.narrow(1, width, of_hops), width, parts);
  append_moved(
      [&](const at::Tensor& h) {
        return scaled_aggregate(graph, looped, looped, h) +
               h * share.unsqueeze(1);
      },
      z.narrow(1, width + of_hops, of_hops), width, parts);
  return at::cat(parts, /*dim=*/1);
}

at::Tensor Fsgnn::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const at::Tensor z =
      dropped_linear({features, {}}, input_->weight, {}, 0, sites);
  at::Tensor h = moved(graph, z) + input_->bias;
  const int64_t maps = num_hop_maps(options_);
  if (options_.unit_rows) {
    h = unit_rows(h.view({h.size(0) * maps, options_.hidden}));
  }
  h = h.view({z.size(0), maps, options_.hidden}) *
      shares_.softmax(/*dim=*/0).unsqueeze(1);
  const at::Tensor all =
      sites.drop(h.view({z.size(0), maps * options_.hidden}).relu(),
                 options_.dropout_theta);
  if (trace != nullptr) trace->embeddings = all;
  return linear(all, output_->weight, output_->bias);
}

Json Fsgnn::defaults() {
  return {{"self-loops", "remove"}, {"hops", 3},    {"hidden", 64},
          {"unit-rows", true},      {"lr", 0.01},   {"dropout-theta", 0.6},
          {"l2-theta", 0.001},      {"l2-xi", 0.1}, {"epochs", 1500},
          {"patience", 100}};
}

}  // namespace ordered_gnn::nn
