#pragma once
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ops/detail/arguments.h"

namespace ordered_gnn::autograd {

template <typename T>
constexpr bool kIsTensor = std::is_same_v<T, at::Tensor> ||
                           std::is_same_v<T, detail::optional<at::Tensor>>;

template <typename Flat>
struct TensorsAmong;
template <typename... One>
struct TensorsAmong<std::tuple<One&...>> {
  static constexpr size_t kCount =
      (size_t{0} + ... + (kIsTensor<One> ? size_t{1} : size_t{0}));
};

/// What a node of autograd keeps of a struct of arguments until backward:
/// tensors as autograd saves them, numbers as they are.
template <typename Arguments>
class SavedStruct {
 public:
  /// To be called once.
  /// @param node  that saves; its own results do not hold it.
  void save(const Arguments& arguments, const torch::autograd::Node* node) {
    size_t tensors = 0;
    const auto save_one = [&](const auto& given, auto& number) {
      using One = std::decay_t<decltype(number)>;
      if constexpr (kIsTensor<One>) {
        const at::Tensor tensor = tensor_of(given);
        auto& place = tensors_[tensors++];
        if (!tensor.defined()) return;
        const bool is_result =
            tensor.requires_grad() && tensor.grad_fn().get() == node;
        place = torch::autograd::SavedVariable(tensor, is_result);
      } else {
        number = given;
      }
    };
    pairwise(save_one, detail::flat(arguments), detail::flat(numbers_));
  }

  /// The arguments.
  /// @throws c10::Error when a tensor was written to since, and after
  /// release().
  Arguments unpack(const std::shared_ptr<torch::autograd::Node>& node) const {
    TORCH_CHECK(!is_released_, torch::autograd::ERR_BACKWARD_TWICE);
    Arguments arguments = numbers_;
    size_t tensors = 0;
    const auto load = [&](auto& one) {
      using One = std::decay_t<decltype(one)>;
      if constexpr (std::is_same_v<One, at::Tensor>) {
        one = tensors_[tensors++].unpack(node);
      } else if constexpr (kIsTensor<One>) {
        one = detail::when_defined(tensors_[tensors++].unpack(node));
      }
    };
    std::apply([&](auto&... one) { (load(one), ...); },
               detail::flat(arguments));
    return arguments;
  }

  void release() {
    for (auto& tensor : tensors_) tensor.reset_data();
    is_released_ = true;
  }

 private:
  using Flat = decltype(detail::flat(std::declval<Arguments&>()));

  static at::Tensor tensor_of(const at::Tensor& tensor) { return tensor; }
  static at::Tensor tensor_of(const detail::optional<at::Tensor>& tensor) {
    return detail::value_or_undefined(tensor);
  }

  template <typename Visit, typename... A, typename... B>
  static void pairwise(const Visit& visit, const std::tuple<A&...>& a,
                       const std::tuple<B&...>& b) {
    pairwise(visit, a, b, std::index_sequence_for<A...>());
  }
  template <typename Visit, typename A, typename B, size_t... i>
  static void pairwise(const Visit& visit, const A& a, const B& b,
                       std::index_sequence<i...> /*places*/) {
    (visit(std::get<i>(a), std::get<i>(b)), ...);
  }

  Arguments numbers_;  // its tensors are undefined
  std::array<torch::autograd::SavedVariable, TensorsAmong<Flat>::kCount>
      tensors_;
  bool is_released_ = false;
};

}  // namespace ordered_gnn::autograd
