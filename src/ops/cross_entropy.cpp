#include "ordered_gnn/ops/cross_entropy.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/cross_entropy.h"
#include "ops/detail/dispatch.h"

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

void check_cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels) {
  check_rows_type(kOp, "logits", logits);
  TORCH_CHECK(logits.dim() == 2 && logits.size(1) > 0, kOp,
              ": logits must be [N, C] with C at least 1, got ",
              logits.sizes());
  check_indices("nodes", nodes, logits);
  check_indices("labels", labels, logits);
  check_shape(kOp, "labels", labels, {nodes.size(0)});
}

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels) {
  static const auto op =
      find_op<decltype(cross_entropy)>("ordered_gnn::cross_entropy");
  return op.call(logits, nodes, labels);
}

at::Tensor cross_entropy_backward(const at::Tensor& grad,
                                  const at::Tensor& logits,
                                  const at::Tensor& nodes,
                                  const at::Tensor& labels) {
  static const auto op = find_op<decltype(cross_entropy_backward)>(
      "ordered_gnn::cross_entropy_backward");
  return op.call(grad, logits, nodes, labels);
}

}  // namespace detail

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& nodes,
                         const at::Tensor& labels) {
  return detail::cross_entropy(logits, nodes, labels);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def("cross_entropy(Tensor logits, Tensor nodes, Tensor labels) -> Tensor");
  m.def(
      "cross_entropy_backward(Tensor grad, Tensor logits, Tensor nodes, "
      "Tensor labels) -> Tensor");
}

}  // namespace ordered_gnn
