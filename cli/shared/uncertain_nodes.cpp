#include "shared/uncertain_nodes.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/table.h"

namespace ordered_gnn::cli {

std::vector<UncertainNode> least_certain(const PredictedNodes& nodes,
                                         int64_t count) {
  const auto num_classes = static_cast<int64_t>(nodes.classes.size());
  const at::Tensor probabilities = nodes.probabilities.contiguous();
  const at::Tensor labels = nodes.labels.contiguous();
  const auto row_of = [&](int64_t node) {
    return probabilities.data_ptr<float>() + node * num_classes;
  };
  const auto confidence = [&](int64_t node) {
    return row_of(node)[labels.data_ptr<int64_t>()[node]];
  };
  std::vector<int64_t> order = nodes.rows;
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return confidence(a) < confidence(b);
  });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  std::vector<UncertainNode> out;
  for (const int64_t node : order) {
    UncertainNode one;
    one.node = node;
    one.label = labels.data_ptr<int64_t>()[node];
    one.confidence = confidence(node);
    for (const int64_t c : likeliest(row_of(node), num_classes,
                                     std::min<int64_t>(num_classes, 2))) {
      if (c == one.label) continue;
      one.runner_up = c;
      one.runner_up_probability = row_of(node)[c];
      break;
    }
    out.push_back(one);
  }
  return out;
}

std::string uncertain_text(const PredictedNodes& nodes,
                           const std::vector<UncertainNode>& uncertain) {
  Table table({"node", "label", "confidence", "runner-up", "its probability"},
              {lab::Align::left, lab::Align::left, lab::Align::right,
               lab::Align::left, lab::Align::right});
  for (const UncertainNode& one : uncertain) {
    const bool has_second = one.runner_up >= 0;
    table.add(
        {node_name(nodes, one.node),
         nodes.classes[static_cast<size_t>(one.label)],
         fmt::format("{:.4f}", one.confidence),
         has_second ? nodes.classes[static_cast<size_t>(one.runner_up)] : "-",
         has_second ? fmt::format("{:.4f}", one.runner_up_probability) : "-"});
  }
  return table.text();
}

Json uncertain_json(const PredictedNodes& nodes,
                    const std::vector<UncertainNode>& uncertain) {
  Json out = Json::array();
  for (const UncertainNode& one : uncertain) {
    const auto name = [&](int64_t c) {
      return c < 0 ? Json() : Json(nodes.classes[static_cast<size_t>(c)]);
    };
    out.push_back({{"node", node_name(nodes, one.node)},
                   {"label", name(one.label)},
                   {"confidence", one.confidence},
                   {"runner_up", name(one.runner_up)},
                   {"runner_up_probability", one.runner_up_probability}});
  }
  return out;
}

}  // namespace ordered_gnn::cli
