#include "nn/baselines/h2gcn.h"

#include <torch/types.h>

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

}  // namespace

H2Gcn::H2Gcn(const ModelShape& shape, const ModelOptions& options, int64_t seed)
    : options_(options) {
  check(options);
  RandomStream random(static_cast<uint64_t>(seed), kInitStream);
  input_ = std::make_shared<Weight>(
      glorot(empty_first_weight(shape, options.hidden), random));
  register_parts(*this, "input", std::vector<std::shared_ptr<Weight>>{input_});
  const int64_t all = options.hidden * ((int64_t{2} << options.layers) - 1);
  output_ = register_module(
      "output", std::make_shared<Weight>(glorot(
                    empty_weight(shape, all, shape.num_classes), random)));
}

at::Tensor H2Gcn::forward(const Graph& graph, const NodeFeatures& features,
                          const ForwardContext& context, ForwardTrace* trace) {
  DropoutSites sites(context);
  const Graph& two_hop = graph.two_hop();
  at::Tensor r =
      dropped_linear({features, {}}, input_->weight, {}, 0, sites).relu();
  std::vector<at::Tensor> rounds = {r};
  for (int64_t k = 0; k < options_.layers; ++k) {
    r = at::cat({unweighted_sum(graph, r), unweighted_sum(two_hop, r)},
                /*dim=*/1);
    rounds.push_back(r);
  }
  const at::Tensor all = at::cat(rounds, /*dim=*/1);
  if (trace != nullptr) trace->embeddings = all;
  return dropped_linear({features, all}, output_->weight, {},
                        options_.dropout_theta, sites);
}

Json H2Gcn::defaults() {
  return {{"self-loops", "remove"}, {"layers", 2},   {"hidden", 64},
          {"dropout-theta", 0.5},   {"lr", 0.01},    {"l2-theta", 5e-4},
          {"l2-xi", 5e-4},          {"epochs", 500}, {"patience", 500}};
}

void H2Gcn::check(const ModelOptions& options) {
  if (options.layers > kMostRounds) {
    throw UsageError(
        fmt::format("h2gcn doubles its width in every round; --layers must be "
                    "at most {}, got {}",
                    kMostRounds, options.layers));
  }
}

}  // namespace ordered_gnn::nn
