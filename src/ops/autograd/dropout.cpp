#include "ops/detail/dropout.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

using detail::DropoutArguments;

// The same key gives the same mask again.
variable_list dropout_gradients(const DropoutArguments& kept,
                                const at::Tensor& grad) {
  return {detail::dropout({grad, kept.dropout})};
}

using Dropout = OpNode<detail::dropout, Keeps::all_but_inputs,
                       dropout_gradients, &DropoutArguments::x>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("dropout", detail::registered<Dropout::call>);
}

}  // namespace ordered_gnn::autograd
