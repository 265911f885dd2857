#include "ops/detail/feature_linear.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct SparseLinear : torch::autograd::Function<SparseLinear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& col, const at::Tensor& value,
                            const at::Tensor& t_rowptr, const at::Tensor& t_col,
                            const at::Tensor& t_value, const at::Tensor& weight,
                            const at::Tensor& bias, double p, int64_t seed,
                            int64_t step, int64_t site) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = seed;
    ctx->saved_data["step"] = step;
    ctx->saved_data["site"] = site;
    ctx->save_for_backward({t_rowptr, t_col, t_value});
    return detail::sparse_linear(rowptr, col, value, t_rowptr, t_col, t_value,
                                 weight, bias, p, seed, step, site);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const auto [grad_weight, grad_bias] = detail::sparse_linear_backward(
        saved[0], saved[1], saved[2], grads[0], ctx->saved_data["p"].toDouble(),
        ctx->saved_data["seed"].toInt(), ctx->saved_data["step"].toInt(),
        ctx->saved_data["site"].toInt());
    const at::Tensor none;
    return {none,        none,      none, none, none, none,
            grad_weight, grad_bias, none, none, none, none};
  }
};

at::Tensor sparse_linear(const at::Tensor& rowptr, const at::Tensor& col,
                         const at::Tensor& value, const at::Tensor& t_rowptr,
                         const at::Tensor& t_col, const at::Tensor& t_value,
                         const at::Tensor& weight, const at::Tensor& bias,
                         double p, int64_t seed, int64_t step, int64_t site) {
  return SparseLinear::apply(rowptr, col, value, t_rowptr, t_col, t_value,
                             weight, bias, p, seed, step, site);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("sparse_linear", sparse_linear);
}

}  // namespace ordered_gnn::autograd
