#include "support/features.h"

#include <ATen/Functions.h>

namespace ordered_gnn {

NodeFeatures sparse_from(const at::Tensor& dense) {
  const at::Tensor mask = dense.ne(0);
  SparseRows rows;
  rows.rowptr = at::cat({at::zeros({1}, at::kLong), mask.sum(1).cumsum(0)});
  rows.col = mask.nonzero().select(1, 1).to(at::kInt).contiguous();
  rows.value = dense.masked_select(mask);
  return NodeFeatures::sparse(rows, dense.size(1));
}

}  // namespace ordered_gnn
