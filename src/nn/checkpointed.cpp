#include "nn/checkpointed.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>
#include <torch/types.h>

namespace ordered_gnn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Recipe : torch::CustomClassHolder {
  TensorsFunction function;
  Tensors parameters;
  size_t num_inputs = 0;
};

using RecipePtr = c10::intrusive_ptr<Recipe>;

struct Checkpointed : torch::autograd::Function<Checkpointed> {
  // `tensors` are the inputs and then the parameters: both get gradients.
  static variable_list forward(AutogradContext* ctx, const RecipePtr& recipe,
                               at::TensorList tensors) {
    const Tensors inputs(tensors.begin(), tensors.begin() + recipe->num_inputs);
    ctx->save_for_backward(inputs);
    ctx->saved_data["recipe"] = c10::IValue::make_capsule(recipe);
    ctx->set_materialize_grads(false);
    return recipe->function(inputs);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto holder = ctx->saved_data["recipe"].toCapsule();
    const Recipe& recipe = static_cast<const Recipe&>(*holder);
    Tensors inputs;
    for (const at::Tensor& saved : ctx->get_saved_variables()) {
      inputs.push_back(saved.detach().requires_grad_(saved.requires_grad()));
    }
    const torch::AutoGradMode recording(true);
    const Tensors outputs = recipe.function(inputs);
    variable_list wanted, used_outputs, used_grads;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!grads[i].defined() || !outputs[i].requires_grad()) continue;
      used_outputs.push_back(outputs[i]);
      used_grads.push_back(grads[i]);
    }
    Tensors all = inputs;
    all.insert(all.end(), recipe.parameters.begin(), recipe.parameters.end());
    for (const at::Tensor& tensor : all) {
      if (tensor.requires_grad()) wanted.push_back(tensor);
    }
    const variable_list found = torch::autograd::grad(
        used_outputs, wanted, used_grads, /*retain_graph=*/false,
        /*create_graph=*/false, /*allow_unused=*/true);
    variable_list result = {at::Tensor()};  // the recipe has no gradient
    size_t next = 0;
    for (const at::Tensor& tensor : all) {
      result.push_back(tensor.requires_grad() ? found[next++] : at::Tensor());
    }
    return result;
  }
};

}  // namespace

Tensors checkpointed(const TensorsFunction& function, const Tensors& inputs,
                     const Tensors& parameters) {
  if (!at::GradMode::is_enabled()) return function(inputs);
  auto recipe = c10::make_intrusive<Recipe>();
  recipe->function = function;
  recipe->parameters = parameters;
  recipe->num_inputs = inputs.size();
  Tensors all = inputs;
  all.insert(all.end(), parameters.begin(), parameters.end());
  return Checkpointed::apply(recipe, at::TensorList(all));
}

}  // namespace ordered_gnn::nn
