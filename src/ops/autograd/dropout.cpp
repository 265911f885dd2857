#include "ops/detail/dropout.h"

#include <ATen/TensorOperators.h>
#include <torch/library.h>

#include <string>

#include "ops/autograd/dropped_result.h"
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

// The dropout of the first result of a layer, which is told to drop the
// gradient unless somebody is to see that in between.
class DropoutOfLayer : public KeepingNode<DropoutArguments> {
 public:
  std::string name() const override { return "ordered_gnn::dropout_of_layer"; }

  variable_list apply(variable_list&& grads) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!grads[0].defined()) return variable_list(1);
    const DropoutArguments kept = this->kept();
    auto* const layer = dynamic_cast<DropsGradients*>(next());
    if (layer == nullptr || !can_hand_on()) {
      const BackwardScope scope;
      return dropout_gradients(kept, grads[0]);
    }
    layer->hand(this, grads[0], kept.dropout);
    return variable_list(1);
  }

 private:
  torch::autograd::Node* next() const { return next_edge(0).function.get(); }

  // Autograd lets a stream wait for another only where it passes gradients on
  // itself.
  bool can_hand_on() const {
    return !at::GradMode::is_enabled() &&
           next()->input_metadata(0).stream() == input_metadata(0).stream() &&
           !is_watched(*next());
  }
};

bool is_first_of_layer(const at::Tensor& x) {
  return x.requires_grad() && x.output_nr() == 0 &&
         dynamic_cast<DropsGradients*>(x.grad_fn().get()) != nullptr;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("dropout", detail::registered<Dropout::call>);
}

}  // namespace ordered_gnn::autograd

namespace ordered_gnn::detail {

at::Tensor dropout_of_python(const DropoutArguments& arguments) {
  using autograd::DropoutOfLayer;
  const at::Tensor& x = arguments.x;
  if (!autograd::goes_straight_to_autograd({&x})) return dropout(arguments);
  if (!at::GradMode::is_enabled() || !autograd::is_first_of_layer(x)) {
    return autograd::Dropout::call(arguments);
  }
  const auto node = autograd::node_of<DropoutOfLayer>({x});
  at::Tensor out = autograd::below_autograd(
      [](const DropoutArguments& given) { return dropout(given); }, arguments);
  torch::autograd::set_history(out, node);
  node->keep({at::Tensor(), arguments.dropout});
  return out;
}

}  // namespace ordered_gnn::detail
