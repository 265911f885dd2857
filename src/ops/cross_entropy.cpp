#include "ordered_gnn/ops/cross_entropy.h"

#include <torch/library.h>

#include "ops/detail/arguments.h"
#include "ops/detail/checks.h"
#include "ops/detail/cross_entropy.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {
namespace {

constexpr const char* kOp = "cross_entropy";

void check_indices(const char* name, const at::Tensor& indices,
                   const at::Tensor& logits) {
  TORCH_CHECK(indices.dim() == 1 && indices.scalar_type() == at::kLong, kOp,
              ": ", name, " must be [n] int64, got ", indices.sizes(), " ",
              indices.scalar_type());
  TORCH_CHECK(indices.device() == logits.device(), kOp, ": ", name, " is on ",
              indices.device(), " but logits is on ", logits.device(),
              "; move one of them");
}

}  // namespace

void check_cross_entropy(const CrossEntropyArguments& arguments) {
  const at::Tensor& logits = arguments.logits;
  check_rows_type(kOp, "logits", logits);
  TORCH_CHECK(logits.dim() == 2 && logits.size(1) > 0, kOp,
              ": logits must be [N, C] with C at least 1, got ",
              logits.sizes());
  check_indices("nodes", arguments.nodes, logits);
  check_indices("labels", arguments.labels, logits);
  check_shape(kOp, "labels", arguments.labels, {arguments.nodes.size(0)});
  if (arguments.weights.has_value()) {
    check_shape(kOp, "weights", *arguments.weights, {logits.size(1)});
    check_parameter(kOp, "weights", *arguments.weights, "logits", logits);
  }
}

at::Tensor cross_entropy(const CrossEntropyArguments& arguments) {
  return call_op<cross_entropy>("cross_entropy", arguments);
}

at::Tensor cross_entropy_backward(
    const CrossEntropyBackwardArguments& arguments) {
  return call_op<cross_entropy_backward>("cross_entropy_backward", arguments);
}

}  // namespace detail

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels, const at::Tensor& weights) {
  return detail::cross_entropy(
      {logits, nodes, labels, detail::when_defined(weights)});
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "cross_entropy(Tensor logits, Tensor nodes, Tensor labels, "
      "Tensor? weights) -> Tensor",
      detail::traceable());
  m.def(
      "cross_entropy_backward(Tensor logits, Tensor nodes, Tensor labels, "
      "Tensor? weights, Tensor grad) -> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
