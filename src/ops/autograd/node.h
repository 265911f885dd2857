#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>

#include "ops/autograd/saved_struct.h"
#include "ops/detail/saved_arguments.h"

// What the autograd nodes of ops have in common. Those of ops that loops call
// often are written as PyTorch writes its own: torch::autograd::Function looks
// for views and changes in place among results that are always new, and takes
// longer for it than a small op does.
namespace ordered_gnn::autograd {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Calls op(arguments) out of autograd's sight.
template <typename Op, typename Arguments>
auto below_autograd(const Op& op, const Arguments& arguments) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const at::NoGradGuard no_grad;
  return op(arguments);
}

/// Whether a call of an op with these tensors would reach autograd's kernel
/// first: no mode and no class of tensors, of tracing or autocast, listens
/// before.
inline bool goes_straight_to_autograd(
    std::initializer_list<const at::Tensor*> tensors) {
  const c10::impl::LocalDispatchKeySet local =
      c10::impl::tls_local_dispatch_key_set();
  c10::DispatchKeySet keys = local.included_;
  for (const at::Tensor* tensor : tensors) keys = keys | tensor->key_set();
  const c10::DispatchKey first =
      (keys - local.excluded_).highestPriorityTypeId();
  return first == c10::DispatchKey::AutogradCPU ||
         first == c10::DispatchKey::AutogradCUDA;
}

/// While it lives in a backward pass, ops are not recorded unless gradients of
/// gradients are asked for: the dispatcher then skips autograd, which passes
/// ops that have no gradients on by a boxed call.
class BackwardScope {
 public:
  BackwardScope() {
    if (!at::GradMode::is_enabled()) below_.emplace();
  }

 private:
  std::optional<at::AutoDispatchBelowADInplaceOrView> below_;
};

/// A node that keeps a struct of arguments.
template <typename Kept>
class KeepingNode : public torch::autograd::Node {
 public:
  void release_variables() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    saved_.release();
  }

  void keep(const Kept& kept) { saved_.save(kept, this); }

 protected:
  Kept kept() { return saved_.unpack(shared_from_this()); }

 private:
  SavedStruct<Kept> saved_;
};

/// A new node of type `Own` before the `inputs` of an op.
template <typename Own>
std::shared_ptr<Own> node_of(const variable_list& inputs) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory)
  std::shared_ptr<Own> node(new Own(), torch::autograd::deleteNode);
  node->set_next_edges(torch::autograd::collect_next_edges(inputs));
  return node;
}

/// What a node keeps of its arguments until backward.
enum class Keeps {
  all,
  all_but_inputs,  ///< the gradients of a linear op do not read its inputs
};

/// The autograd node of an op with one result, which is new, and a struct of
/// arguments. `inputs` are the members of that struct with gradients, and
/// `gradients(kept arguments, gradient of the result)` are theirs, in order.
template <auto op, Keeps keeps, auto gradients, auto... inputs>
class OpNode
    : public KeepingNode<typename detail::KernelOfStruct<decltype(op)>::Taken> {
 public:
  using Arguments = typename detail::KernelOfStruct<decltype(op)>::Taken;

  /// The op, recorded; to be registered for Autograd.
  static at::Tensor call(const Arguments& arguments) {
    if (!torch::autograd::compute_requires_grad(arguments.*inputs...)) {
      return below_autograd(op, arguments);
    }
    const auto node = node_of<OpNode>({arguments.*inputs...});
    at::Tensor out = below_autograd(op, arguments);
    torch::autograd::set_history(out, node);
    if constexpr (keeps == Keeps::all_but_inputs) {
      Arguments kept = arguments;
      ((kept.*inputs = at::Tensor()), ...);
      node->keep(kept);
    } else {
      node->keep(arguments);
    }
    return out;
  }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard<std::mutex> lock(this->mutex_);
    if (!grads[0].defined()) return variable_list(sizeof...(inputs));
    const Arguments kept = this->kept();
    const BackwardScope scope;
    return gradients(kept, grads[0]);
  }
};

}  // namespace ordered_gnn::autograd
