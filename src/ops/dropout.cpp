#include "ordered_gnn/ops/dropout.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dropout.h"
#include "ops/detail/schemas.h"

namespace ordered_gnn {
namespace detail {

void check_dropout(double p) {
  TORCH_CHECK(p >= 0 && p < 1, "dropout: p must be in [0, 1), got ", p);
}

void check_dropout(const Dropout& dropout, at::Device device) {
  check_dropout(dropout.p);
  if (!dropout.step_tensor.has_value()) return;
  const at::Tensor& step = *dropout.step_tensor;
  TORCH_CHECK(step.numel() >= 1 && step.scalar_type() == at::kLong,
              "dropout: the step must be one int64 number, got ", step.sizes(),
              " ", step.scalar_type());
  TORCH_CHECK(step.is_contiguous(), "dropout: the step must be contiguous");
  TORCH_CHECK(step.device() == device, "dropout: the step is on ",
              step.device(), " but the rows are on ", device,
              "; move one of them");
}

const int64_t* Dropout::nodes(int64_t rows) const {
  if (!step_tensor.has_value() || step_tensor->numel() == 1) return nullptr;
  TORCH_CHECK(step_tensor->numel() == rows + 1, "dropout: ", rows,
              " rows, but the step is followed by ", step_tensor->numel() - 1,
              " nodes");
  return step_tensor->data_ptr<int64_t>() + 1;
}

at::Tensor dropout(const DropoutArguments& arguments) {
  return call_op<dropout>("dropout", arguments);
}

}  // namespace detail

at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key) {
  detail::check_dropout(p);
  if (p == 0) return x;
  return detail::dropout({x, {p, key}});
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "dropout(Tensor x, float p, int seed, int step, Tensor? step_tensor, "
      "int site) -> Tensor",
      detail::traceable());
}

}  // namespace ordered_gnn
