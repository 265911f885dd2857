#include "support/gradcheck.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "support/tensors.h"

namespace ordered_gnn {
namespace {

at::Tensor projected(const TensorFunction& f,
                     const std::vector<at::Tensor>& inputs) {
  at::Tensor total = at::zeros({}, at::kDouble);
  uint64_t seed = 977;
  for (const at::Tensor& output : f(inputs)) {
    const at::Tensor direction =
        random_tensor(output.sizes(), at::kDouble, seed++);
    total = total + (output * direction).sum();
  }
  return total;
}

std::vector<at::Tensor> analytic_gradients(
    const TensorFunction& f, const std::vector<NamedTensor>& inputs) {
  std::vector<at::Tensor> leaves;
  for (const NamedTensor& input : inputs) {
    leaves.push_back(input.value.detach().clone().requires_grad_());
  }
  const at::Tensor total = projected(f, leaves);
  return torch::autograd::grad({total}, leaves, /*grad_outputs=*/{},
                               /*retain_graph=*/false, /*create_graph=*/false,
                               /*allow_unused=*/true);
}

double central_difference(const TensorFunction& f,
                          const std::vector<at::Tensor>& values,
                          double& element, double step) {
  const double centre = element;
  element = centre + step;
  const double above = projected(f, values).item<double>();
  element = centre - step;
  const double below = projected(f, values).item<double>();
  element = centre;
  return (above - below) / (2 * step);
}

}  // namespace

testing::AssertionResult gradients_match(const TensorFunction& f,
                                         const std::vector<NamedTensor>& inputs,
                                         const GradcheckOptions& options) {
  const std::vector<at::Tensor> gradients = analytic_gradients(f, inputs);
  std::vector<at::Tensor> values;
  for (const NamedTensor& input : inputs) {
    if (input.value.scalar_type() != at::kDouble) {
      return testing::AssertionFailure() << input.name << " is not float64";
    }
    values.push_back(input.value.detach().clone(at::MemoryFormat::Contiguous));
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    const at::Tensor gradient =
        gradients[k].defined() ? gradients[k].contiguous().view(-1)
                               : at::zeros({values[k].numel()}, at::kDouble);
    double* const element = values[k].data_ptr<double>();
    for (int64_t i = 0; i < values[k].numel(); ++i) {
      const double numeric =
          central_difference(f, values, element[i], options.step);
      const double analytic = gradient[i].item<double>();
      const double bound =
          options.absolute + options.relative * std::abs(numeric);
      if (!(std::abs(analytic - numeric) <= bound)) {
        return testing::AssertionFailure()
               << "gradient of " << inputs[k].name << ", element " << i
               << " of " << values[k].sizes() << ": autograd gives " << analytic
               << ", central differences " << numeric;
      }
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace ordered_gnn
