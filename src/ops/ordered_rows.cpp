#include "ops/detail/ordered_rows.h"

#include <torch/library.h>

#include "ops/detail/dispatch.h"

namespace ordered_gnn {
namespace detail {

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>
ordered_rows(const at::Tensor& nodes, const at::Tensor& h, const at::Tensor& m,
             const optional<at::Tensor>& prev_gate,
             const at::Tensor& gate_weight, const at::Tensor& gate_bias,
             const at::Tensor& norm_weight, const at::Tensor& norm_bias,
             int64_t mode, double eps, double p, int64_t seed, int64_t step,
             int64_t site) {
  static const auto op =
      find_op<decltype(ordered_rows)>("ordered_gnn::ordered_rows");
  return op.call(nodes, h, m, prev_gate, gate_weight, gate_bias, norm_weight,
                 norm_bias, mode, eps, p, seed, step, site);
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor,
           at::Tensor, at::Tensor>
ordered_rows_backward(const at::Tensor& nodes, const at::Tensor& h,
                      const optional<at::Tensor>& prev_gate,
                      const at::Tensor& gate_weight,
                      const at::Tensor& norm_weight, const at::Tensor& gate,
                      const at::Tensor& m, const at::Tensor& logits,
                      const at::Tensor& mean, const at::Tensor& rstd,
                      const at::Tensor& grad_out, int64_t mode, double p,
                      int64_t seed, int64_t step, int64_t site) {
  static const auto op = find_op<decltype(ordered_rows_backward)>(
      "ordered_gnn::ordered_rows_backward");
  return op.call(nodes, h, prev_gate, gate_weight, norm_weight, gate, m, logits,
                 mean, rstd, grad_out, mode, p, seed, step, site);
}

}  // namespace detail

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "ordered_rows(Tensor nodes, Tensor h, Tensor m, Tensor? prev_gate, "
      "Tensor gate_weight, Tensor gate_bias, Tensor norm_weight, "
      "Tensor norm_bias, int mode, float eps, float p, int seed, int step, "
      "int site) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
  m.def(
      "ordered_rows_backward(Tensor nodes, Tensor h, Tensor? prev_gate, "
      "Tensor gate_weight, Tensor norm_weight, Tensor(b!) gate, Tensor m, "
      "Tensor(c!) logits, Tensor mean, Tensor rstd, Tensor(a!) grad_out, "
      "int mode, float p, int seed, int step, int site) "
      "-> (Tensor(a!), Tensor, Tensor(b!), Tensor, Tensor, Tensor, Tensor)");
}

}  // namespace ordered_gnn
