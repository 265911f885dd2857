#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

namespace ordered_gnn::detail {

void check_layer_norm(const at::Tensor& x, const at::Tensor& weight,
                      const at::Tensor& bias, double p);

/// Calls the registered op: {y [N, D], mean [N], rstd [N]}.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    double eps, bool relu, double p, int64_t seed, int64_t step, int64_t site);

/// Calls the registered op: y once more, to the bit, from the mean and rstd
/// that came with it.
at::Tensor layer_norm_again(const at::Tensor& x, const at::Tensor& mean,
                            const at::Tensor& rstd, const at::Tensor& weight,
                            const at::Tensor& bias, double eps, bool relu,
                            double p, int64_t seed, int64_t step, int64_t site);

/// Calls the registered op: gradients of x, weight and bias.
std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm_backward(
    const at::Tensor& grad, const at::Tensor& x, const at::Tensor& mean,
    const at::Tensor& rstd, const at::Tensor& weight, bool relu, double p,
    int64_t seed, int64_t step, int64_t site);

/// Gradients of x, weight and bias, the sum of the first over the rows, [D],
/// and y.
using LayerNormUndone =
    std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

/// Calls the registered op: layer_norm_backward() for those who did not keep y.
/// The gradients of weight and bias are undefined without `need_parameters`, y
/// is without `need_out`. With `reuse_memory` the gradient of x may be `grad`.
LayerNormUndone layer_norm_undo(const at::Tensor& grad, const at::Tensor& x,
                                const at::Tensor& mean, const at::Tensor& rstd,
                                const at::Tensor& weight,
                                const at::Tensor& bias, double eps, bool relu,
                                double p, int64_t seed, int64_t step,
                                int64_t site, bool need_parameters,
                                bool need_out, bool reuse_memory);

}  // namespace ordered_gnn::detail
