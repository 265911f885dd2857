#include "ops/detail/feature_linear.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>

#include "ops/autograd/node.h"
#include "ops/detail/saved_arguments.h"
#include "ops/detail/weighted_aggregate.h"

namespace ordered_gnn::autograd {
namespace {

using detail::SparseLinearArguments;
using detail::SparseLinearBackwardArguments;

// What backward reads. Rows and weight are for the gradient of the values and
// undefined when nobody asks for it.
struct SavedSparseLinear {
  SparseLinearBackwardArguments parameters;
  SparseRows rows;
  at::Tensor weight;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.parameters, self.rows, self.weight);
  }
};

// Entry (r, c) of X gets grad[r] . W[:, c]. Blocks of entries bound the rows
// that are gathered; an entry is one sum, whatever the number of threads.
at::Tensor value_gradient(const SavedSparseLinear& saved) {
  constexpr int64_t kBlock = int64_t{1} << 16;
  const at::Tensor& grad = saved.parameters.grad;
  const int64_t entries = saved.rows.value.numel();
  const at::Tensor row = detail::receivers(saved.rows.rowptr, entries);
  const at::Tensor by_column = saved.weight.t();
  at::Tensor out = at::empty_like(saved.rows.value);
  for (int64_t begin = 0; begin < entries; begin += kBlock) {
    const int64_t count = std::min(kBlock, entries - begin);
    const at::Tensor of_row = grad.index_select(0, row.narrow(0, begin, count));
    const at::Tensor of_column =
        by_column.index_select(0, saved.rows.col.narrow(0, begin, count));
    out.narrow(0, begin, count).copy_((of_row * of_column).sum(1));
  }
  return out;
}

struct SparseLinear : torch::autograd::Function<SparseLinear> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& /*weight*/,
                            const at::Tensor& /*bias*/, const at::Tensor& value,
                            const SparseLinearArguments& arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    SavedSparseLinear saved;
    saved.parameters = {arguments.columns, /*grad=*/{}, arguments.dropout};
    if (value.requires_grad()) {
      TORCH_CHECK(arguments.dropout.p == 0,
                  "feature_linear: values of features have a gradient without "
                  "dropout alone, got ",
                  arguments.dropout.p);
      saved.rows = arguments.rows;
      saved.weight = arguments.weight;
    }
    detail::save_arguments(ctx, saved);
    return detail::sparse_linear(arguments);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    auto saved = detail::saved_arguments<SavedSparseLinear>(ctx);
    saved.parameters.grad = grads[0];
    const auto [grad_weight, grad_bias] =
        detail::sparse_linear_backward(saved.parameters);
    const at::Tensor grad_value =
        saved.weight.defined() ? value_gradient(saved) : at::Tensor();
    return {grad_weight, grad_bias, grad_value, at::Tensor()};
  }
};

at::Tensor sparse_linear(const SparseLinearArguments& arguments) {
  return SparseLinear::apply(arguments.weight, arguments.bias,
                             arguments.rows.value, arguments);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) {
  m.impl("sparse_linear", detail::registered<sparse_linear>);
}

}  // namespace ordered_gnn::autograd
