#include "ops/cpu/row_norm_undo.h"

#include <ATen/Functions.h>

namespace ordered_gnn::cpu {

void NormUndo::finish(int64_t rows) {
  means = at::stack({bias_shares.sum(0), weight_shares.sum(0)})
              .div_(static_cast<double>(rows));
}

at::Tensor NormUndo::grad_weight() const {
  return weight_shares.defined() ? weight_shares.sum(0) : at::Tensor();
}

at::Tensor NormUndo::grad_bias() const {
  return bias_shares.defined() ? bias_shares.sum(0) : at::Tensor();
}

NormUndo norm_undo(const detail::KeptNorm& kept, int64_t chunks) {
  NormUndo norm;
  norm.mode = static_cast<NormMode>(kept.mode);
  if (norm.mode == NormMode::none) return norm;
  norm.weight = detail::packed(kept.weight);
  norm.statistics = *kept.statistics;
  const int64_t width = norm.weight.size(0);
  norm.weight_shares = at::zeros({chunks, width}, norm.weight.options());
  norm.bias_shares = at::zeros({chunks, width}, norm.weight.options());
  if (norm.mode == NormMode::layer) return norm;
  norm.scale = norm.statistics[1].mul(norm.weight);
  norm.means = at::zeros({2, width}, norm.weight.options());
  return norm;
}

}  // namespace ordered_gnn::cpu
