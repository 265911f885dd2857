#include "nn/checkpointed.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/custom_class.h>
#include <torch/types.h>

namespace ordered_gnn::nn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::edge_list;
using torch::autograd::variable_list;

struct Recipe : torch::CustomClassHolder {
  TensorsFunction function;
  Tensors parameters;
  size_t num_inputs = 0;
};

using RecipePtr = c10::intrusive_ptr<Recipe>;

// Where gradients enter what was computed again. Whoever holds these alone lets
// the outputs themselves go, which nobody reads any more.
struct Entries {
  edge_list edges;
  variable_list grads;
};

Entries entries_of(const Tensors& outputs, const variable_list& grads) {
  Entries entries;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!grads[i].defined() || !outputs[i].requires_grad()) continue;
    entries.edges.push_back(torch::autograd::impl::gradient_edge(outputs[i]));
    entries.grads.push_back(grads[i]);
  }
  return entries;
}

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
    const Entries entries = entries_of(recipe.function(inputs), grads);
    edge_list wanted;
    Tensors all = inputs;
    all.insert(all.end(), recipe.parameters.begin(), recipe.parameters.end());
    for (const at::Tensor& tensor : all) {
      if (!tensor.requires_grad()) continue;
      wanted.push_back(torch::autograd::impl::gradient_edge(tensor));
    }
    const variable_list found =
        torch::autograd::Engine::get_default_engine().execute(
            entries.edges, entries.grads, /*keep_graph=*/false,
            /*create_graph=*/false, /*accumulate_grad=*/false, wanted);
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
