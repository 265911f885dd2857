#include "ops/autograd/gated_layer.h"

#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ops/autograd/dropped_result.h"
#include "ops/autograd/leaf_gradients.h"

namespace ordered_gnn::autograd {
namespace {

// What grad_fn of a result calls itself.
std::string node_name(const detail::KeptLayer& /*kept*/) {
  return "ordered_gnn::OrderedLayer";
}
std::string node_name(const detail::KeptCandidateLayer& /*kept*/) {
  return "ordered_gnn::CandidateLayer";
}

// What the layer before `undo`, backward of a layer, keeps for it.
template <auto undo>
using KeptFor = decltype(detail::KernelOfStruct<decltype(undo)>::Taken::kept);

// The node of `op`, a layer whose gradients are those of `undo`.
template <auto op, auto undo>
class GatedLayer : public KeepingNode<KeptFor<undo>>, public DropsGradients {
 public:
  using Arguments = typename detail::KernelOfStruct<decltype(op)>::Taken;
  using Outputs = typename detail::KernelOfStruct<decltype(op)>::Given;
  using BackwardArguments =
      typename detail::KernelOfStruct<decltype(undo)>::Taken;

  // The op, recorded; to be registered for Autograd.
  static Outputs call(const Arguments& given) {
    const auto& layer = given.layer;
    const variable_list inputs = inputs_of(layer);
    // Without a gradient to come nothing is kept: a layer's memory is gone with
    // the layer. A program that was traced asks for what its own backward
    // needs.
    if (given.keep || !torch::autograd::compute_requires_grad(inputs)) {
      return below_autograd(op, given);
    }
    Arguments arguments = given;
    arguments.keep = true;
    const auto node = node_of<GatedLayer>(inputs);
    Outputs results = below_autograd(op, arguments);
    Outputs seen;
    std::get<0>(seen) = std::get<0>(results);
    std::get<1>(seen) = std::get<1>(results);
    torch::autograd::set_history(std::get<0>(seen), node);
    torch::autograd::set_history(std::get<1>(seen), node);
    node->keep(detail::kept_of(layer, results));
    node->lists_ = given.lists;
    node->reuse_memory_ = given.reuse_memory;
    return seen;
  }

  std::string name() const override { return node_name(KeptFor<undo>()); }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard<std::mutex> lock(this->mutex_);
    variable_list gradients = gradients_of(grads);
    // Not in the scope of the kernels: what a gradient is added to tells
    // autograd that it has changed, for those who have saved it.
    leaves_ = hand_to_leaves(*this, this->next_edges_, gradients);
    return gradients;
  }

  void release_variables() override {
    KeepingNode<KeptFor<undo>>::release_variables();
    const std::lock_guard<std::mutex> lock(this->mutex_);
    lists_ = {};
  }

 private:
  variable_list gradients_of(variable_list& grads) {
    BackwardArguments arguments;
    arguments.kept = this->kept();
    arguments.lists = lists_;
    arguments.reuse_memory = reuse_memory_;
    require_unspent(arguments, is_spent_);
    const BackwardScope scope;
    std::optional<detail::TimeFirst> time_first;
    if (!reuse_memory_) time_first.emplace();
    detail::Dropout& dropout = arguments.kept.dropout;
    dropout = take_handed(grads[0], dropout);
    take_gradients(arguments, grads);
    variable_list gradients = tensors_of(undo(arguments));
    // It may be the gate itself, which is a result of this node.
    at::Tensor& prev_gate = gradients[1];
    if (prev_gate.defined() && prev_gate.requires_grad()) {
      prev_gate = prev_gate.detach();
    }
    return gradients;
  }

  // Of a graph, which never changes: nobody needs to look after them as after
  // what autograd saves.
  detail::ScaledLists lists_;
  bool reuse_memory_ = false;
  bool is_spent_ = false;
  std::vector<std::shared_ptr<torch::autograd::Node>> leaves_;
};

using OrderedLayer =
    GatedLayer<&detail::ordered_layer, &detail::ordered_layer_backward>;
using CandidateLayer =
    GatedLayer<&detail::candidate_layer, &detail::candidate_layer_backward>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("ordered_layer", detail::registered_whole<&OrderedLayer::call>);
  m.impl("candidate_layer", detail::registered_whole<&CandidateLayer::call>);
}

}  // namespace ordered_gnn::autograd

namespace ordered_gnn::detail {

OrderedGateResult ordered_layer_of_python(
    const OrderedLayerArguments& arguments) {
  const LayerArguments& layer = arguments.layer;
  const OrderedLayerParameters& learned = layer.parameters;
  const at::Tensor no_gate;
  const bool is_straight = autograd::goes_straight_to_autograd(
      {&layer.h, layer.prev_gate.has_value() ? &*layer.prev_gate : &no_gate,
       &learned.gate_weight, &learned.gate_bias, &learned.norm_weight,
       &learned.norm_bias});
  const TimeFirst time_first;
  auto results = is_straight ? autograd::OrderedLayer::call(arguments)
                             : ordered_layer(arguments);
  return {std::move(std::get<0>(results)), std::move(std::get<1>(results))};
}

}  // namespace ordered_gnn::detail
