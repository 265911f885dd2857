#include "ops/detail/dropout.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace ordered_gnn::autograd {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Dropout : torch::autograd::Function<Dropout> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, double p,
                            int64_t seed, int64_t step, int64_t site) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ctx->saved_data["p"] = p;
    ctx->saved_data["seed"] = seed;
    ctx->saved_data["step"] = step;
    ctx->saved_data["site"] = site;
    return detail::dropout(x, p, seed, step, site);
  }

  // The same key gives the same mask again.
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const at::Tensor none;
    return {detail::dropout(grads[0], ctx->saved_data["p"].toDouble(),
                            ctx->saved_data["seed"].toInt(),
                            ctx->saved_data["step"].toInt(),
                            ctx->saved_data["site"].toInt()),
            none, none, none, none};
  }
};

at::Tensor dropout(const at::Tensor& x, double p, int64_t seed, int64_t step,
                   int64_t site) {
  return Dropout::apply(x, p, seed, step, site);
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, Autograd, m) { m.impl("dropout", dropout); }

}  // namespace ordered_gnn::autograd
