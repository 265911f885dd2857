#pragma once
#include <torch/csrc/autograd/graph_task.h>
#include <torch/version.h>

#include <utility>
#include <vector>

#include "ops/autograd/node.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn::autograd {

/// A layer whose backward can drop elements of the gradient of its first result
/// itself: the dropout of that result then hands the gradient on as it came,
/// and a pass over memory is spared.
class DropsGradients {
 public:
  DropsGradients() = default;
  DropsGradients(const DropsGradients&) = delete;
  DropsGradients& operator=(const DropsGradients&) = delete;
  virtual ~DropsGradients() = default;

  /// Adds dropout(grad) to the gradient that the node is called with next.
  /// @param from  who hands it on; what it handed on before is forgotten.
  void hand(const torch::autograd::Node* from, const at::Tensor& grad,
            const detail::Dropout& how) {
    const std::lock_guard<std::mutex> lock(handing_);
    for (Handed& before : handed_) {
      if (before.from != from) continue;
      before = {from, grad, how};
      return;
    }
    handed_.push_back({from, grad, how});
  }

 protected:
  /// Joins what was handed to the gradient `grad` of the first result.
  /// @return the dropout that is left to be done on all of it.
  detail::Dropout take_handed(at::Tensor& grad, const detail::Dropout& own) {
    std::vector<Handed> handed;
    {
      const std::lock_guard<std::mutex> lock(handing_);
      handed.swap(handed_);
    }
    if (handed.size() == 1 && !grad.defined() && own.p == 0) {
      grad = handed[0].grad;
      return handed[0].how;
    }
    for (const Handed& one : handed) {
      const at::Tensor dropped = detail::dropout({one.grad, one.how});
      grad = grad.defined() ? grad + dropped : dropped;
    }
    return own;
  }

 private:
  struct Handed {
    const torch::autograd::Node* from = nullptr;
    at::Tensor grad;
    detail::Dropout how;
  };

  std::mutex handing_;
  std::vector<Handed> handed_;
};

/// Whether somebody asks for the gradients of a node's results: a hook, a
/// result that keeps its gradient, or a call that gives it back.
inline bool is_watched(torch::autograd::Node& node) {
  if (!node.pre_hooks().empty()) return true;
#if TORCH_VERSION_MAJOR >= 2
  if (!node.tensor_pre_hooks().empty() || !node.retains_grad_hooks().empty()) {
    return true;
  }
#endif
  const auto* const wanted =
      torch::autograd::get_current_graph_task_exec_info();
  if (wanted == nullptr || wanted->empty()) return false;
  const auto found = wanted->find(&node);
  return found == wanted->end() || !found->second.needed_ ||
         found->second.captures_ != nullptr;
}

}  // namespace ordered_gnn::autograd
