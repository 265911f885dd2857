#include "ordered_gnn/ops/dropout.h"

#include <torch/library.h>

#include "ops/detail/checks.h"
#include "ops/detail/dispatch.h"
#include "ops/detail/dropout.h"

namespace ordered_gnn {
namespace detail {

void check_dropout(double p) {
  TORCH_CHECK(p >= 0 && p < 1, "dropout: p must be in [0, 1), got ", p);
}

at::Tensor dropout(const at::Tensor& x, double p, int64_t seed, int64_t step,
                   int64_t site) {
  static const auto op = find_op<decltype(dropout)>("ordered_gnn::dropout");
  return op.call(x, p, seed, step, site);
}

}  // namespace detail

at::Tensor dropout(const at::Tensor& x, double p, const DropoutKey& key) {
  detail::check_dropout(p);
  if (p == 0) return x;
  return detail::dropout(x, p, key.seed, key.step, key.site);
}

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def("dropout(Tensor x, float p, int seed, int step, int site) -> Tensor");
}

}  // namespace ordered_gnn
