#pragma once
#include <torch/csrc/autograd/custom_function.h>

#include "ops/detail/saved_arguments.h"

// What the autograd nodes of ops have in common.
namespace ordered_gnn::autograd {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// What a node keeps of its arguments until backward.
enum class Keeps {
  all,
  all_but_inputs,  ///< the gradients of a linear op do not read its inputs
};

/// The autograd node of an op with one result and a struct of arguments.
/// `inputs` are the members of that struct with gradients, and
/// `gradients(kept arguments, gradient of the result)` are theirs, in order.
template <auto op, Keeps keeps, auto gradients, auto... inputs>
struct OpNode
    : torch::autograd::Function<OpNode<op, keeps, gradients, inputs...>> {
  using Arguments = typename detail::KernelOfStruct<decltype(op)>::Taken;

  // The tensors are those in `arguments`, for their gradients.
  static at::Tensor forward(AutogradContext* ctx, at::TensorList /*inputs*/,
                            const Arguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    if constexpr (keeps == Keeps::all_but_inputs) {
      Arguments kept = arguments;
      ((kept.*inputs = at::Tensor()), ...);
      detail::save_arguments(ctx, kept);
    } else {
      detail::save_arguments(ctx, arguments);
    }
    return op(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    variable_list result =
        gradients(detail::saved_arguments<Arguments>(ctx), grads[0]);
    result.emplace_back();  // of the arguments
    return result;
  }

  /// The op, recorded; to be registered for Autograd.
  static at::Tensor call(const Arguments& arguments) {
    const at::Tensor tensors[] = {arguments.*inputs...};
    return OpNode::apply(at::TensorList(tensors), arguments);
  }
};

}  // namespace ordered_gnn::autograd
