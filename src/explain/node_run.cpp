#include "explain/node_run.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace ordered_gnn::explain {
namespace {

// Removals that the options leave room for when each takes a whole run.
size_t affordable_runs(const HeardPart& part, int64_t rounds,
                       const NodeRequest& request) {
  const NodeExplanationOptions& options = request.options;
  const int64_t visits =
      std::max<int64_t>(part.edges.size(1) * std::max<int64_t>(rounds, 1), 1);
  const int64_t affordable =
      std::max<int64_t>(options.max_edge_visits / visits, 1);
  return static_cast<size_t>(
      std::min({static_cast<int64_t>(request.candidates.size()),
                options.max_removals, affordable}));
}

}  // namespace

Answer answer_of(const at::Tensor& logits) {
  const at::Tensor row = logits.reshape({-1}).to(at::kFloat).contiguous();
  const at::Tensor share = row.to(at::kDouble).softmax(0);
  const float* const value = row.data_ptr<float>();
  const double* const part = share.data_ptr<double>();
  Answer out;
  out.logits.assign(value, value + row.numel());
  out.probabilities.assign(part, part + row.numel());
  out.predicted = std::max_element(out.logits.begin(), out.logits.end()) -
                  out.logits.begin();
  return out;
}

CutPrediction cut_after(int64_t hops, const Answer& answer) {
  return {hops, answer.predicted,
          std::vector<float>(answer.probabilities.begin(),
                             answer.probabilities.end())};
}

NodeRun run_heard_part(NodeModel& model, const NodeRequest& request,
                       int64_t rounds) {
  const HeardPart part = heard_part(request.data, request.node, rounds);
  const int64_t place = part.place_of(request.node);
  const auto ask = [&](const Graph& graph, ForwardTrace* trace) {
    return answer_of(model.forward(graph, part.features, request.context, trace)
                         .select(0, place));
  };
  NodeRun out;
  ForwardTrace trace;
  trace.on_layer = [&](const LayerTrace& layer) {
    const at::Tensor logits = model.classify(layer.state.narrow(0, place, 1));
    if (!logits.defined()) return;
    out.cuts.push_back(cut_after(layer.layer, answer_of(logits)));
  };
  out.now = ask(part.graph, &trace);
  for (size_t i = 0; i < affordable_runs(part, rounds, request); ++i) {
    const int64_t removed = part.place_of(request.candidates[i].node);
    out.without.push_back(ask(part.without(removed), nullptr));
  }
  return out;
}

}  // namespace ordered_gnn::explain
