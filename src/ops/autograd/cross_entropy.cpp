#include "ops/detail/cross_entropy.h"

#include <torch/library.h>

#include "ops/autograd/node.h"

namespace ordered_gnn::autograd {
namespace {

using detail::CrossEntropyArguments;

variable_list cross_entropy_gradients(const CrossEntropyArguments& kept,
                                      const at::Tensor& grad) {
  return {detail::cross_entropy_backward({kept, grad})};
}

using CrossEntropy =
    OpNode<detail::cross_entropy, Keeps::all, cross_entropy_gradients,
           &CrossEntropyArguments::logits>;

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("cross_entropy", detail::registered<CrossEntropy::call>);
}

}  // namespace ordered_gnn::autograd
