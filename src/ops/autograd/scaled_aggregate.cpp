#include "ops/detail/scaled_aggregate.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using detail::optional;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ScaledAggregate : torch::autograd::Function<ScaledAggregate> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& rowptr,
                            const at::Tensor& col, const at::Tensor& t_rowptr,
                            const at::Tensor& t_col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->save_for_backward({rowptr, col, t_rowptr, t_col,
                            value_or_undefined(row_scale),
                            value_or_undefined(col_scale)});
    return detail::scaled_aggregate(rowptr, col, t_rowptr, t_col, row_scale,
                                    col_scale, h);
  }

  // The transposed list with the two scales exchanged.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor none;
    return {none,
            none,
            none,
            none,
            none,
            none,
            detail::scaled_aggregate(saved[2], saved[3], saved[0], saved[1],
                                     detail::when_defined(saved[5]),
                                     detail::when_defined(saved[4]), grads[0])};
  }
};

at::Tensor scaled_aggregate(const at::Tensor& rowptr, const at::Tensor& col,
                            const at::Tensor& t_rowptr, const at::Tensor& t_col,
                            const optional<at::Tensor>& row_scale,
                            const optional<at::Tensor>& col_scale,
                            const at::Tensor& h) {
  return ScaledAggregate::apply(rowptr, col, t_rowptr, t_col, row_scale,
                                col_scale, h);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("scaled_aggregate", scaled_aggregate);
}

}  // namespace ordered_gnn::autograd
