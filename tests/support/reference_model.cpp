#include "support/reference_model.h"

#include <fmt/format.h>
#include <torch/types.h>

#include <functional>

#include "support/reference.h"

namespace ordered_gnn::reference {
namespace {

at::Tensor maybe_dropout(const at::Tensor& x, double p,
                         const ForwardContext& context, int64_t site) {
  if (!context.training || p == 0) return x;
  return dropout(x, p, {context.seed, context.step, site});
}

using Messages = std::function<at::Tensor(const at::Tensor&)>;

at::Tensor input_network(const OrderedGnnOptions& options,
                         const Parameters& parameters,
                         const NodeFeatures& features,
                         const ForwardContext& context,
                         const Messages& heard = {}) {
  const at::Tensor& first = parameters.at("input.0.weight");
  at::Tensor z = features.to_dense().to(first.scalar_type());
  for (int64_t i = 0; i < options.mlp_layers; ++i) {
    const std::string linear = fmt::format("input.{}.", i);
    const std::string norm = fmt::format("input_norm.{}.", i);
    z = maybe_dropout(z, options.dropout_theta, context, i);
    z = torch::matmul(z, parameters.at(linear + "weight").t());
    if (i == 0 && heard) z = heard(z);
    z = torch::relu(z + parameters.at(linear + "bias"));
    z = layer_norm(z, parameters.at(norm + "weight"),
                   parameters.at(norm + "bias"));
  }
  return z;
}

// What is learned per node, summed into the first state.
at::Tensor with_node_ids(const OrderedGnnOptions& options,
                         const Parameters& parameters, const Graph& graph,
                         const ForwardContext& context, const at::Tensor& z) {
  if (options.node_ids == NodeIds::none) return z;
  const int64_t site = options.mlp_layers + options.layers + 1;
  const at::Tensor rows = maybe_dropout(parameters.at("node_ids.weight"),
                                        options.dropout_theta, context, site);
  const at::Tensor heard =
      options.node_ids == NodeIds::id ? rows : sum_aggregate(graph, rows);
  return z + layer_norm(torch::relu(heard + parameters.at("node_ids.bias")),
                        parameters.at("node_ids_norm.weight"),
                        parameters.at("node_ids_norm.bias"));
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

// Sums over the two kinds of neighbours, each for one half of the neurons, by a
// matrix of all pairs.
at::Tensor split_aggregate(Aggregator aggregator, const Graph& graph,
                           const at::Tensor& h) {
  at::Tensor pairs =
      torch::zeros({graph.num_nodes(), graph.num_nodes()}, h.options());
  for (int64_t v = 0; v < graph.num_nodes(); ++v) {
    for (int64_t e = graph.in().rowptr[v].item<int64_t>();
         e < graph.in().rowptr[v + 1].item<int64_t>(); ++e) {
      pairs[v][graph.in().col[e].item<int64_t>()] = 1;
    }
  }
  const at::Tensor in = pairs.sum(1, true).clamp_min(1);       // [N, 1]
  const at::Tensor out = pairs.sum(0, true).clamp_min(1).t();  // [N, 1]
  at::Tensor forward = pairs, backward = pairs.t();
  if (aggregator == Aggregator::mean) {
    forward = forward / in;
    backward = backward / out;
  } else if (aggregator == Aggregator::gcn) {
    forward = forward / in.sqrt() / out.t().sqrt();
    backward = backward / out.sqrt() / in.t().sqrt();
  }
  const std::vector<at::Tensor> half = h.chunk(2, 1);
  return torch::cat(
      {torch::matmul(forward, half[0]), torch::matmul(backward, half[1])}, 1);
}

// The gates of every half by themselves.
OrderedGateResult gate_halves(Gating gating, const at::Tensor& logits,
                              const at::Tensor& gate, const at::Tensor& h,
                              const at::Tensor& c) {
  std::vector<at::Tensor> states, gates;
  for (size_t i = 0; i < 2; ++i) {
    const OrderedGateResult result = reference::ordered_gate(
        gating, logits.chunk(2, 1)[i], gate.chunk(2, 1)[i], h.chunk(2, 1)[i],
        c.chunk(2, 1)[i]);
    states.push_back(result.h);
    gates.push_back(result.gate);
  }
  return {torch::cat(states, 1), torch::cat(gates, 1)};
}

at::Tensor normalize(Norm kind, const std::string& prefix,
                     const Parameters& parameters, const at::Tensor& x,
                     bool training) {
  if (kind == Norm::none) return x;
  const at::Tensor& weight = parameters.at(prefix + "weight");
  const at::Tensor& bias = parameters.at(prefix + "bias");
  if (kind == Norm::layer) return layer_norm(x, weight, bias);
  const at::Tensor mean =
      training ? x.mean(0) : parameters.at(prefix + "running_mean");
  const at::Tensor variance = training ? x.var(0, /*unbiased=*/false)
                                       : parameters.at(prefix + "running_var");
  return (x - mean) / (variance + 1e-5).sqrt() * weight + bias;
}

// What layer k writes in place of kept neurons.
at::Tensor written(const OrderedGnnOptions& options,
                   const Parameters& parameters, const at::Tensor& h,
                   const at::Tensor& m, int64_t k, bool training) {
  if (options.transform == Transform::none) return m;
  const std::string prefix = fmt::format("layers.{}.candidate", k);
  const at::Tensor mapped =
      torch::matmul(torch::cat({m, h}, 1),
                    parameters.at(prefix + ".weight").t()) +
      parameters.at(prefix + ".bias");
  return torch::relu(normalize(options.candidate_norm, prefix + "_norm.",
                               parameters, mapped, training));
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
  const bool split = options.directions == Directions::split;
  const auto messages = [&](const at::Tensor& rows, int64_t k) {
    return split ? split_aggregate(options.aggregator, graph, rows)
                 : aggregate(options, parameters, graph, rows, k);
  };
  Messages heard;
  if (options.first_state == FirstState::heard) {
    heard = [&](const at::Tensor& rows) { return messages(rows, 0); };
  }
  at::Tensor h = with_node_ids(
      options, parameters, graph, context,
      input_network(options, parameters, features, context, heard));
  int64_t site = options.mlp_layers;
  at::Tensor gate =
      torch::zeros({h.size(0), options.hidden / options.chunk}, h.options());
  for (int64_t k = 0; k < options.layers; ++k, ++site) {
    h = maybe_dropout(h, options.dropout_xi, context, site);
    const at::Tensor m = messages(h, k);
    const at::Tensor c =
        written(options, parameters, h, m, k, context.training);
    at::Tensor combined = c;
    if (options.gating != Gating::none) {
      const std::string prefix =
          options.tied_gates ? "gate." : fmt::format("layers.{}.gate.", k);
      const at::Tensor logits =
          torch::matmul(torch::cat({h, m}, 1),
                        parameters.at(prefix + "weight").t()) +
          parameters.at(prefix + "bias");
      const OrderedGateResult result =
          split ? gate_halves(options.gating, logits, gate, h, c)
                : reference::ordered_gate(options.gating, logits, gate, h, c);
      combined = result.h;
      gate = result.gate;
      if (gates != nullptr) gates->push_back(gate);
    }
    const at::Tensor out =
        normalize(options.norm, fmt::format("layers.{}.norm.", k), parameters,
                  combined, context.training);
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
