#pragma once
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/graph_task.h>
#include <torch/version.h>

#include <memory>
#include <utility>
#include <vector>

#include "ops/autograd/node.h"

// Gradients of leaves without the engine. It takes the host longer to schedule
// the node of a parameter than that takes to store a gradient, and half of the
// nodes of a network are such.
namespace ordered_gnn::autograd {

/// Whether the engine runs `node` in a pass after which nobody reads its edges:
/// a plain backward() that keeps no graph, asks for no gradients by name and is
/// not watched. A node that is called by hand is in no pass.
inline bool is_last_pass(torch::autograd::Node& node) {
  const auto* const wanted =
      torch::autograd::get_current_graph_task_exec_info();
  const auto* const nodes =
      torch::autograd::get_current_graph_task_nodes_in_graph();
  return wanted != nullptr && wanted->empty() && nodes != nullptr &&
         nodes->count(&node) != 0 &&
         !torch::autograd::get_current_graph_task_keep_graph() &&
         !at::GradMode::is_enabled() && node.post_hooks().empty() &&
         !torch::autograd::AnomalyMode::is_enabled();
}

/// The accumulator behind an edge, when the edge is all that leads to it and no
/// hook waits there; null otherwise. Whoever else may give it a gradient, or
/// listen (other nodes, DistributedDataParallel, a hook's handle), holds it.
inline torch::autograd::AccumulateGrad* unseen_leaf(
    const torch::autograd::Edge& edge) {
  if (edge.function.use_count() != 1) return nullptr;
  auto* const leaf =
      dynamic_cast<torch::autograd::AccumulateGrad*>(edge.function.get());
  if (leaf == nullptr || !leaf->pre_hooks().empty() ||
      !leaf->post_hooks().empty() ||
      !torch::autograd::impl::hooks(leaf->variable).empty()) {
    return nullptr;
  }
#if TORCH_VERSION_MAJOR > 2 || \
    (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 1)
  if (leaf->tensor_post_acc_grad_hooks() != nullptr) return nullptr;
#endif
  return leaf;
}

/// Whether the engine would hand `grad` on to `leaf` as it is, on the stream
/// that `node` works on.
inline bool fits_leaf(torch::autograd::Node& node, const at::Tensor& grad,
                      torch::autograd::AccumulateGrad& leaf) {
  const at::Tensor& variable = leaf.variable;
  return grad.defined() && grad.sizes() == variable.sizes() &&
         grad.scalar_type() == variable.scalar_type() &&
         grad.device() == variable.device() &&
         leaf.input_metadata(0).stream() == node.input_metadata(0).stream();
}

/// Whether a leaf on the stream of `node` has to be left to the engine, which
/// waits at the end of a pass for the streams of the leaves that it has run
/// itself. One in a pass is enough; they are told apart by their numbers, where
/// those are to be had.
class StreamOfLeaves {
 public:
  explicit StreamOfLeaves(torch::autograd::Node& node)
      : stream_(node.input_metadata(0).stream()),
        is_known_(!node.input_metadata(0).device().is_cuda()) {
#if TORCH_VERSION_MAJOR >= 2
    pass_ = torch::autograd::get_current_graph_task_id();
    is_known_ = is_known_ || (last_pass_ == pass_ && last_stream_ == stream_);
#endif
  }

  bool is_known() const { return is_known_; }

  /// A leaf on it is left to the engine.
  void leave_one() {
    is_known_ = true;
    last_pass_ = pass_;
    last_stream_ = stream_;
  }

 private:
  // The nodes of a device run in one thread.
  static inline thread_local int last_pass_ = -1;
  static inline thread_local c10::Stream last_stream_{c10::Stream::DEFAULT,
                                                      at::Device(at::kCPU)};

  c10::Stream stream_;
  bool is_known_;
  int pass_ = -1;
};

/// Hands those of a node's gradients to their leaves that nobody is to see on
/// the way, and cuts the edges: the engine passes over them.
/// @param edges  of the node, as many as gradients.
/// @return what was cut off, to be kept as long as the node: the engine goes on
///         knowing it by its address.
inline std::vector<std::shared_ptr<torch::autograd::Node>> hand_to_leaves(
    torch::autograd::Node& node, torch::autograd::edge_list& edges,
    variable_list& gradients) {
  std::vector<std::shared_ptr<torch::autograd::Node>> done;
  if (!is_last_pass(node)) return done;
  StreamOfLeaves stream(node);
  for (size_t i = edges.size(); i-- > 0;) {
    auto* const leaf = unseen_leaf(edges[i]);
    if (leaf == nullptr || !fits_leaf(node, gradients[i], *leaf)) continue;
    if (!stream.is_known()) {
      stream.leave_one();
      continue;
    }
    variable_list gradient(1);
    std::swap(gradient[0], gradients[i]);
    (*leaf)(std::move(gradient));
    done.push_back(std::move(edges[i].function));
  }
  return done;
}

}  // namespace ordered_gnn::autograd
