#include "support/reference_model.h"

#include <fmt/format.h>
#include <torch/types.h>

#include "support/reference.h"

namespace ordered_gnn::reference {
namespace {

at::Tensor maybe_dropout(const at::Tensor& x, double p,
                         const ForwardContext& context, int64_t site) {
  if (!context.training || p == 0) return x;
  return dropout(x, p, {context.seed, context.step, site});
}

at::Tensor input_network(const OrderedGnnOptions& options,
                         const Parameters& parameters,
                         const NodeFeatures& features,
                         const ForwardContext& context) {
  const at::Tensor& first = parameters.at("input.0.weight");
  at::Tensor z = features.to_dense().to(first.scalar_type());
  for (int64_t i = 0; i < options.mlp_layers; ++i) {
    const std::string linear = fmt::format("input.{}.", i);
    const std::string norm = fmt::format("input_norm.{}.", i);
    z = maybe_dropout(z, options.dropout_theta, context, i);
    z = torch::relu(torch::matmul(z, parameters.at(linear + "weight").t()) +
                    parameters.at(linear + "bias"));
    z = layer_norm(z, parameters.at(norm + "weight"),
                   parameters.at(norm + "bias"));
  }
  return z;
}

at::Tensor aggregate(const OrderedGnnOptions& options,
                     const Parameters& parameters, const Graph& graph,
                     const at::Tensor& h, int64_t k) {
  const auto scores = [&] {
    const std::string prefix = fmt::format("layers.{}.attention.", k);
    return edge_scores(graph,
                       torch::matmul(h, parameters.at(prefix + "source")),
                       torch::matmul(h, parameters.at(prefix + "target")));
  };
  switch (options.aggregator) {
    case Aggregator::mean:
      return mean_aggregate(graph, h);
    case Aggregator::gcn:
      return gcn_aggregate(graph, h);
    case Aggregator::sum:
      return sum_aggregate(graph, h);
    case Aggregator::max:
      return max_aggregate(graph, h);
    case Aggregator::gat: {
      const at::Tensor raw = scores();
      const at::Tensor leaky = torch::where(raw > 0, raw, 0.2 * raw);
      return weighted_aggregate(graph, edge_softmax(graph, leaky), h);
    }
    case Aggregator::signed_:
      break;
  }
  const at::Tensor degree = graph.in().rowptr.diff().clamp_min(1);
  const at::Tensor summed = weighted_aggregate(graph, scores().tanh(), h);
  return summed / degree.to(h.scalar_type()).unsqueeze(1);
}

at::Tensor normalize(const OrderedGnnOptions& options,
                     const Parameters& parameters, const at::Tensor& x,
                     int64_t k, bool training) {
  if (options.norm == Norm::none) return x;
  const std::string prefix = fmt::format("layers.{}.norm.", k);
  const at::Tensor& weight = parameters.at(prefix + "weight");
  const at::Tensor& bias = parameters.at(prefix + "bias");
  if (options.norm == Norm::layer) return layer_norm(x, weight, bias);
  const at::Tensor mean =
      training ? x.mean(0) : parameters.at(prefix + "running_mean");
  const at::Tensor variance = training ? x.var(0, /*unbiased=*/false)
                                       : parameters.at(prefix + "running_var");
  return (x - mean) / (variance + 1e-5).sqrt() * weight + bias;
}

at::Tensor classify(const OrderedGnnOptions& options,
                    const Parameters& parameters, const at::Tensor& h,
                    const ForwardContext& context, int64_t site) {
  const at::Tensor dropped =
      maybe_dropout(h, options.dropout_theta, context, site);
  return torch::matmul(dropped, parameters.at("output.weight").t()) +
         parameters.at("output.bias");
}

}  // namespace

at::Tensor ordered_gnn_logits(const OrderedGnnOptions& options,
                              const Parameters& parameters, const Graph& graph,
                              const NodeFeatures& features,
                              const ForwardContext& context,
                              std::vector<at::Tensor>* gates) {
  at::Tensor h = input_network(options, parameters, features, context);
  int64_t site = options.mlp_layers;
  at::Tensor gate =
      torch::zeros({h.size(0), options.hidden / options.chunk}, h.options());
  for (int64_t k = 0; k < options.layers; ++k, ++site) {
    h = maybe_dropout(h, options.dropout_xi, context, site);
    const at::Tensor m = aggregate(options, parameters, graph, h, k);
    at::Tensor combined = m;
    if (options.gating != Gating::none) {
      const std::string prefix =
          options.tied_gates ? "gate." : fmt::format("layers.{}.gate.", k);
      const at::Tensor logits =
          torch::matmul(torch::cat({h, m}, 1),
                        parameters.at(prefix + "weight").t()) +
          parameters.at(prefix + "bias");
      const OrderedGateResult result =
          reference::ordered_gate(options.gating, logits, gate, h, m);
      combined = result.h;
      gate = result.gate;
      if (gates != nullptr) gates->push_back(gate);
    }
    const at::Tensor out =
        normalize(options, parameters, combined, k, context.training);
    h = options.residual ? out + h : out;
  }
  return classify(options, parameters, h, context, site);
}

at::Tensor mlp_logits(const OrderedGnnOptions& options,
                      const Parameters& parameters,
                      const NodeFeatures& features,
                      const ForwardContext& context) {
  const at::Tensor z = input_network(options, parameters, features, context);
  return classify(options, parameters, z, context, options.mlp_layers);
}

}  // namespace ordered_gnn::reference
