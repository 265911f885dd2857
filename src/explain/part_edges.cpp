#include "explain/part_edges.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace ordered_gnn::explain {

PartEdges::PartEdges(const at::Tensor& weights)
    : all_(weights.defined() ? weights.contiguous() : weights) {}

void PartEdges::reserve(int64_t count) {
  senders_.reserve(static_cast<size_t>(count));
  receivers_.reserve(static_cast<size_t>(count));
  if (all_.defined()) weights_.reserve(static_cast<size_t>(count));
}

void PartEdges::add(int64_t sender, int64_t receiver, int64_t edge) {
  senders_.push_back(sender);
  receivers_.push_back(receiver);
  if (all_.defined()) weights_.push_back(all_.data_ptr<float>()[edge]);
}

at::Tensor PartEdges::ends() const {
  at::Tensor out =
      at::empty({2, static_cast<int64_t>(senders_.size())}, at::kLong);
  int64_t* const to = out.data_ptr<int64_t>();
  std::copy(receivers_.begin(), receivers_.end(),
            std::copy(senders_.begin(), senders_.end(), to));
  return out;
}

at::Tensor PartEdges::weights() const {
  if (!all_.defined()) return {};
  at::Tensor out =
      at::empty({static_cast<int64_t>(weights_.size())}, at::kFloat);
  std::copy(weights_.begin(), weights_.end(), out.data_ptr<float>());
  return out;
}

Graph PartEdges::graph(int64_t num_nodes) const {
  GraphOptions options;
  options.weights = weights();
  return Graph::from_edges(num_nodes, ends(), options);
}

}  // namespace ordered_gnn::explain
