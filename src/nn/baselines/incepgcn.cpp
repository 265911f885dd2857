#include "nn/baselines/incepgcn.h"

#include <torch/types.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::nn {
namespace {

// The number of convolutions grows with the square of the layers.
constexpr int64_t kMostBranchLayers = 128;

}  // namespace

IncepGcn::IncepGcn(const ModelShape& shape, const ModelOptions& options,
                   int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  const int64_t width = options.hidden;
  input_ = std::make_shared<GraphConvolution>(shape, 0, width, random);
  register_parts(*this, "input", Branch{input_});
  torch::nn::ModuleList list;
  for (int64_t depth = 1; depth + 1 < options.layers; ++depth) {
    Branch branch;
    torch::nn::ModuleList parts;
    for (int64_t i = 0; i < depth; ++i) {
      branch.push_back(
          std::make_shared<GraphConvolution>(shape, width, width, random));
      parts->push_back(branch.back());
    }
    list->push_back(parts);
    branches_.push_back(std::move(branch));
  }
  register_module("branches", list.ptr());
  output_ = register_module("output", std::make_shared<GraphConvolution>(
                                          shape, (options.layers - 1) * width,
                                          shape.num_classes, random));
}

at::Tensor IncepGcn::forward(const Graph& graph, const NodeFeatures& features,
                             const ForwardContext& context,
                             ForwardTrace* trace) {
  DropoutSites sites(context);
  const double p = options_.dropout_theta;
  const at::Tensor start =
      input_->forward(graph, {features, {}}, p, sites).relu();
  std::vector<at::Tensor> ends = {start};
  for (const Branch& branch : branches_) {
    LayerInput x{features, start};
    for (const auto& layer : branch) {
      x.h = layer->forward(graph, x, p, sites).relu();
    }
    ends.push_back(x.h);
  }
  const at::Tensor all = at::cat(ends, /*dim=*/1);
  if (trace != nullptr) trace->embeddings = all;
  return output_->forward(graph, {features, all}, p, sites);
}

Json IncepGcn::defaults() {
  return {{"self-loops", "add"},  {"layers", 8},   {"hidden", 128},
          {"dropout-theta", 0.5}, {"lr", 0.01},    {"l2-theta", 0.001},
          {"l2-xi", 0.001},       {"epochs", 400}, {"patience", 400}};
}

void IncepGcn::check(const ModelOptions& options) {
  if (options.layers < 2 || options.layers > kMostBranchLayers) {
    throw UsageError(
        fmt::format("incepgcn has a first and a last layer and a branch per "
                    "depth between them; --layers must be 2 to {}, got {}",
                    kMostBranchLayers, options.layers));
  }
}

}  // namespace ordered_gnn::nn
