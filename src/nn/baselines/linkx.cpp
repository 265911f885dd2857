#include "nn/baselines/linkx.h"

#include <torch/types.h>

#include "ordered_gnn/ops/linear.h"

namespace ordered_gnn::nn {

Linkx::LaterLayer::LaterLayer(int64_t in, int64_t out, RandomStream& random)
    : norm(register_module("norm",
                           std::make_shared<Normalization>(Norm::batch, in))),
      linear(register_module("linear",
                             std::make_shared<Affine>(in, out, random))) {}

template <typename First>
Linkx::Perceptron<First>::Perceptron(std::shared_ptr<First> map, int64_t layers,
                                     int64_t width, int64_t out,
                                     RandomStream& random)
    : first(register_module("first", std::move(map))) {
  for (int64_t i = 1; i < layers; ++i) {
    later.push_back(std::make_shared<LaterLayer>(
        width, i + 1 == layers ? out : width, random));
  }
  register_parts(*this, "later", later);
}

Linkx::Linkx(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  adjacency_ = register_module(
      "adjacency",
      std::make_shared<Perceptron<RowPerNode>>(
          std::make_shared<RowPerNode>(shape.num_nodes, width, random),
          options.layers, width, width, random));
  input_ = register_module(
      "input",
      std::make_shared<Perceptron<Affine>>(
          std::make_shared<Affine>(empty_first_weight(shape, width), random),
          options.layers, width, width, random));
  combine_ = register_module(
      "combine", std::make_shared<Affine>(2 * width, width, random));
  const int64_t first_out = options.mlp_layers > 1 ? width : shape.num_classes;
  output_ = register_module(
      "output", std::make_shared<Perceptron<Affine>>(
                    std::make_shared<Affine>(width, first_out, random),
                    options.mlp_layers, width, shape.num_classes, random));
}

at::Tensor Linkx::run(const std::vector<std::shared_ptr<LaterLayer>>& later,
                      at::Tensor h, double dropout,
                      const ForwardContext& context, DropoutSites& sites) {
  for (const auto& layer : later) {
    h = layer->norm->forward(h.relu(), context.training);
    h = linear(sites.drop(h, dropout), layer->linear->weight,
               layer->linear->bias);
  }
  return h;
}

at::Tensor Linkx::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const at::Tensor a = run(adjacency_->later, adjacency_->first->forward(graph),
                           /*dropout=*/0, context, sites);
  const at::Tensor x = run(input_->later,
                           dropped_linear({features, {}}, input_->first->weight,
                                          input_->first->bias, 0, sites),
                           /*dropout=*/0, context, sites);
  const at::Tensor both =
      (pair_linear(a, x, combine_->weight, combine_->bias) + a + x).relu();
  if (trace != nullptr) trace->embeddings = both;
  return run(output_->later,
             linear(both, output_->first->weight, output_->first->bias),
             options_.dropout_theta, context, sites);
}

Json Linkx::defaults() {
  return {{"self-loops", "keep"}, {"layers", 1},          {"hidden", 128},
          {"mlp-layers", 2},      {"dropout-theta", 0.5}, {"lr", 0.01},
          {"l2-theta", 0.001},    {"l2-xi", 0.001},       {"epochs", 500}};
}

std::string Linkx::why_unread(const ModelOptions& options,
                              const std::string& option) {
  return option == "dropout-theta" && options.mlp_layers == 1
             ? "with --mlp-layers 1 linkx has no hidden layer of its output "
               "for {}"
             : "";
}

}  // namespace ordered_gnn::nn
