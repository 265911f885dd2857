// LibTorch's own kernels one after the other, those that its cross_entropy and
// autograd run: the bits are theirs, and the loss is a small part of an epoch.
#include "ops/detail/cross_entropy.h"

#include <ATen/Functions.h>
#include <ATen/core/Reduction.h>
#include <torch/library.h>

#include "ops/cpu/bf16/rows.h"
#include "ops/detail/arguments.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CrossEntropyArguments;

constexpr int64_t kIgnoreNone = -100;  // not a label, see check_values

void check_values(const char* name, const at::Tensor& indices, int64_t end) {
  const at::Tensor flat = indices.contiguous();
  const int64_t* const index = flat.data_ptr<int64_t>();
  for (int64_t i = 0; i < flat.size(0); ++i) {
    TORCH_CHECK(index[i] >= 0 && index[i] < end, "cross_entropy: ", name, "[",
                i, "] is ", index[i], "; it must be in 0 to ", end - 1);
  }
}

// [n, C], in float where logits are stored in bfloat16.
at::Tensor log_probabilities(const at::Tensor& logits,
                             const at::Tensor& nodes) {
  at::Tensor chosen = at::index_select(logits, 0, nodes);
  if (bf16::is_stored_as(logits)) chosen = chosen.to(at::kFloat);
  return at::_log_softmax(chosen, 1, /*half_to_float=*/false);
}

// What the sum of the losses is divided by.
at::Tensor total_weight(const CrossEntropyArguments& arguments,
                        const at::Tensor& log_probability) {
  if (!arguments.weights.has_value()) {
    return at::full(
        {}, arguments.nodes.size(0),
        arguments.logits.options().dtype(log_probability.scalar_type()));
  }
  return at::index_select(*arguments.weights, 0, arguments.labels).sum();
}

at::Tensor cross_entropy(const CrossEntropyArguments& arguments) {
  detail::check_cross_entropy(arguments);
  const auto& [logits, nodes, labels, weights] = arguments;
  check_values("nodes", nodes, logits.size(0));
  check_values("labels", labels, logits.size(1));
  return std::get<0>(at::nll_loss_forward(log_probabilities(logits, nodes),
                                          labels, weights, at::Reduction::Mean,
                                          kIgnoreNone));
}

at::Tensor cross_entropy_backward(
    const detail::CrossEntropyBackwardArguments& arguments) {
  const auto& [logits, nodes, labels, weights] = arguments.forward;
  if (nodes.size(0) == 0) return at::zeros(logits.sizes(), logits.options());
  const at::Tensor log_probability = log_probabilities(logits, nodes);
  const at::Tensor out = at::zeros(logits.sizes(), log_probability.options());
  const at::Tensor grad_log = at::nll_loss_backward(
      arguments.grad, log_probability, labels, weights, at::Reduction::Mean,
      kIgnoreNone, total_weight(arguments.forward, log_probability));
  const at::Tensor grad_rows = at::_log_softmax_backward_data(
      grad_log, log_probability, 1, log_probability.scalar_type());
  return out.index_add_(0, nodes, grad_rows).to(logits.scalar_type());
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("cross_entropy", detail::registered<cross_entropy>);
  m.impl("cross_entropy_backward", detail::registered<cross_entropy_backward>);
}

}  // namespace ordered_gnn::cpu
