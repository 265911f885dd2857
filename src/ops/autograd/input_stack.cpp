#include "ops/input_stack.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "ops/autograd/node.h"
#include "ops/detail/layer_norm.h"
#include "ops/detail/linear.h"
#include "ordered_gnn/ops/dropout.h"

namespace ordered_gnn::autograd {
namespace {

using ops::InputStackLayer;
using ops::InputStackSettings;

// Tensors of a layer among the inputs, those kept for backward, and those kept
// ahead of all layers: x and the tensor of the step.
constexpr size_t kLayerInputs = 4;
constexpr size_t kLayerKept = 7;
constexpr size_t kKeptAhead = 2;

// A first layer without a product of its own has an empty tensor for a weight:
// autograd takes no undefined ones.
bool is_weight(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() == 2;
}

DropoutKey key_behind(const DropoutKey& key, size_t layers) {
  return {key.seed, key.step, key.site + static_cast<int64_t>(layers)};
}

struct LayerValues {
  at::Tensor product, out, mean, rstd;
};

LayerValues run_layer(const at::Tensor& x, const InputStackLayer& layer,
                      double eps, const DropoutKey& key) {
  LayerValues values;
  values.product =
      is_weight(layer.weight) ? detail::linear(x, layer.weight, layer.bias) : x;
  std::tie(values.out, values.mean, values.rstd) =
      detail::layer_norm({values.product,
                          layer.norm_weight,
                          layer.norm_bias,
                          eps,
                          /*relu=*/true,
                          {layer.dropout, key}});
  return values;
}

void save_key(AutogradContext* ctx, const DropoutKey& key) {
  ctx->saved_data["seed"] = key.seed;
  ctx->saved_data["step"] = key.step.number;
  ctx->saved_data["site"] = key.site;
}

DropoutKey saved_key(AutogradContext* ctx, const at::Tensor& step_tensor) {
  DropoutKey key;
  key.seed = ctx->saved_data["seed"].toInt();
  key.step.number = ctx->saved_data["step"].toInt();
  key.step.tensor = step_tensor;
  key.site = ctx->saved_data["site"].toInt();
  return key;
}

// The layers from their products back to the features.
class StackBackward {
 public:
  StackBackward(AutogradContext* ctx, size_t layers)
      : ctx_(ctx),
        saved_(ctx->get_saved_variables()),
        dropout_(ctx->saved_data["dropout"].toDoubleVector()),
        eps_(ctx->saved_data["eps"].toDouble()),
        key_(saved_key(ctx, saved_[1])),
        layers_(layers),
        products_(layers),
        inputs_(layers),
        grads_(1 + layers * kLayerInputs) {}

  // Gradients of x and of the layers' tensors.
  variable_list run(at::Tensor grad) {
    find_products();
    at::Tensor above;  // gradient of the product of the layer above
    for (size_t i = layers_; i-- > 0;) {
      const at::Tensor grad_product = undo_norm(i, grad, above);
      products_[i] = at::Tensor();
      if (i > 0) {
        grad = detail::linear_input_gradient(grad_product, kept(i, 0));
      } else {
        undo_first(grad_product);
      }
      above = grad_product;
    }
    return grads_;
  }

 private:
  const at::Tensor& kept(size_t layer, size_t index) const {
    return saved_[kKeptAhead + layer * kLayerKept + index];
  }
  at::Tensor& grad_of(size_t layer, size_t index) {
    return grads_[1 + layer * kLayerInputs + index];
  }
  bool needs(size_t layer, size_t index) const {
    return ctx_->needs_input_grad(1 + layer * kLayerInputs + index);
  }

  // The products that were kept, or all of them once more with what they are
  // made of.
  void find_products() {
    for (size_t i = 0; i < layers_; ++i) products_[i] = kept(i, 3);
    if (products_.back().defined()) return;
    for (size_t i = 0; i < layers_; ++i) {
      const at::Tensor& weight = kept(i, 0);
      inputs_[i] = i == 0 ? first_input() : result_of(i - 1);
      products_[i] = is_weight(weight)
                         ? detail::linear(inputs_[i], weight, kept(i, 6))
                         : inputs_[i];
    }
  }

  at::Tensor first_input() const {
    return is_weight(kept(0, 0))
               ? ordered_gnn::dropout(saved_[0], dropout_[0], key_)
               : saved_[0];
  }

  // The layer's norm of its product, with the mean and rstd that it had.
  detail::LayerNormAgainArguments norm_of(size_t i) const {
    return {{products_[i],
             kept(i, 1),
             kept(i, 2),
             eps_,
             /*relu=*/true,
             {dropout_[i + 1], key_behind(key_, i + 1)}},
            kept(i, 4),
            kept(i, 5)};
  }

  at::Tensor result_of(size_t i) const {
    return detail::layer_norm_again(norm_of(i));
  }

  // Gradient of the layer's product. The weight of the layer above needs this
  // layer's result, which comes along when it is not there.
  at::Tensor undo_norm(size_t i, const at::Tensor& grad,
                       const at::Tensor& above) {
    const bool is_input = above.defined();
    at::Tensor result = is_input ? inputs_[i + 1] : at::Tensor();
    auto [grad_product, norm_weight, norm_bias, sums, out] =
        detail::layer_norm_undo({grad, norm_of(i),
                                 /*need_parameters=*/needs(i, 2) || needs(i, 3),
                                 /*need_out=*/is_input && !result.defined(),
                                 /*reuse_memory=*/inputs_[0].defined()});
    if (is_weight(kept(i, 0))) grad_of(i, 1) = sums;
    grad_of(i, 2) = norm_weight;
    grad_of(i, 3) = norm_bias;
    if (out.defined()) result = out;
    if (is_input) {
      grad_of(i + 1, 0) = detail::linear_weight_gradient(above, result);
      inputs_[i + 1] = at::Tensor();
    }
    return grad_product;
  }

  void undo_first(const at::Tensor& grad_product) {
    const at::Tensor& weight = kept(0, 0);
    if (!is_weight(weight)) {
      grads_[0] = grad_product;
      return;
    }
    const at::Tensor x = inputs_[0].defined() ? inputs_[0] : first_input();
    grad_of(0, 0) = detail::linear_weight_gradient(grad_product, x);
    if (!ctx_->needs_input_grad(0)) return;
    grads_[0] = ordered_gnn::dropout(
        detail::linear_input_gradient(grad_product, weight), dropout_[0], key_);
  }

  AutogradContext* const ctx_;
  const variable_list saved_;
  const std::vector<double> dropout_;  // of x, then of the layers' results
  const double eps_;
  const DropoutKey key_;
  const size_t layers_;
  variable_list products_;
  variable_list inputs_;  // of the products; undefined: not at hand
  variable_list grads_;
};

struct InputStack : torch::autograd::Function<InputStack> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            at::TensorList tensors,
                            const std::vector<double>& rates,
                            const InputStackSettings& settings) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const DropoutKey& key = settings.dropout_key;
    variable_list kept = {x, key.step.tensor};
    at::Tensor out =
        is_weight(tensors[0]) ? ordered_gnn::dropout(x, rates[0], key) : x;
    for (size_t i = 0; i < tensors.size() / kLayerInputs; ++i) {
      const at::Tensor* const t = tensors.data() + i * kLayerInputs;
      const LayerValues values =
          run_layer(out, {t[0], t[1], t[2], t[3], rates[i + 1]},
                    settings.norm_eps, key_behind(key, i + 1));
      out = values.out;
      for (const at::Tensor& tensor :
           {t[0], t[2], t[3],
            settings.recompute ? at::Tensor() : values.product, values.mean,
            values.rstd, t[1]}) {
        kept.push_back(tensor);
      }
    }
    ctx->saved_data["dropout"] = rates;
    ctx->saved_data["eps"] = settings.norm_eps;
    save_key(ctx, key);
    ctx->save_for_backward(kept);
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const size_t layers =
        ctx->saved_data["dropout"].toDoubleVector().size() - 1;
    variable_list result = StackBackward(ctx, layers).run(grads[0]);
    result.resize(result.size() + 2);  // rates and settings have no gradient
    return result;
  }
};

}  // namespace
}  // namespace ordered_gnn::autograd

namespace ordered_gnn::ops {

at::Tensor input_stack(const at::Tensor& x,
                       const std::vector<InputStackLayer>& layers,
                       const InputStackSettings& settings) {
  TORCH_CHECK(!layers.empty(), "input_stack: at least one layer is needed");
  const DropoutKey& key = settings.dropout_key;
  if (!at::GradMode::is_enabled()) {
    // Nothing is kept: a layer's memory is gone with the layer.
    at::Tensor out = autograd::is_weight(layers[0].weight)
                         ? dropout(x, settings.dropout, key)
                         : x;
    for (size_t i = 0; i < layers.size(); ++i) {
      out = autograd::run_layer(out, layers[i], settings.norm_eps,
                                autograd::key_behind(key, i + 1))
                .out;
    }
    return out;
  }
  std::vector<at::Tensor> tensors;
  std::vector<double> rates = {settings.dropout};
  for (const InputStackLayer& layer : layers) {
    for (const at::Tensor& tensor :
         {layer.weight, layer.bias, layer.norm_weight, layer.norm_bias}) {
      tensors.push_back(tensor.defined() ? tensor
                                         : at::empty({0}, x.options()));
    }
    rates.push_back(layer.dropout);
  }
  return autograd::InputStack::apply(x, at::TensorList(tensors), rates,
                                     settings);
}

}  // namespace ordered_gnn::ops
