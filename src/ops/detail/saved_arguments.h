#pragma once
#include <torch/csrc/autograd/custom_function.h>

#include <utility>
#include <vector>

#include "ops/detail/arguments.h"

// Structs of arguments between forward and backward of an autograd node.
namespace ordered_gnn::detail {

/// The single arguments of a struct by their kind.
struct SavedArguments {
  torch::autograd::variable_list tensors;
  std::vector<int64_t> whole;  ///< numbers and switches
  std::vector<double> real;

  void add(const at::Tensor& tensor) { tensors.push_back(tensor); }
  void add(const optional<at::Tensor>& tensor) {
    tensors.push_back(value_or_undefined(tensor));
  }
  void add(int64_t number) { whole.push_back(number); }
  void add(bool is_on) { whole.push_back(is_on ? 1 : 0); }
  void add(double number) { real.push_back(number); }
};

/// Keeps what backward reads. Tensors that only backward knows, its gradients,
/// are still undefined.
template <typename Arguments>
void save_arguments(torch::autograd::AutogradContext* ctx,
                    const Arguments& arguments) {
  SavedArguments saved;
  std::apply([&](const auto&... one) { (saved.add(one), ...); },
             flat(arguments));
  ctx->save_for_backward(std::move(saved.tensors));
  ctx->saved_data["whole"] = saved.whole;
  ctx->saved_data["real"] = saved.real;
}

/// What save_arguments() was given.
/// @throws c10::Error when a tensor was written to since.
template <typename Arguments>
Arguments saved_arguments(torch::autograd::AutogradContext* ctx) {
  const torch::autograd::variable_list tensors = ctx->get_saved_variables();
  const std::vector<int64_t> whole = ctx->saved_data["whole"].toIntVector();
  const std::vector<double> real = ctx->saved_data["real"].toDoubleVector();
  auto tensor = tensors.begin();
  auto integer = whole.begin();
  auto number = real.begin();
  const auto load = [&](auto& one) {
    using One = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<One, at::Tensor>) {
      one = *tensor++;
    } else if constexpr (std::is_same_v<One, optional<at::Tensor>>) {
      one = when_defined(*tensor++);
    } else if constexpr (std::is_same_v<One, double>) {
      one = *number++;
    } else {
      one = static_cast<One>(*integer++);
    }
  };
  Arguments arguments;
  std::apply([&](auto&... one) { (load(one), ...); }, flat(arguments));
  return arguments;
}

}  // namespace ordered_gnn::detail
