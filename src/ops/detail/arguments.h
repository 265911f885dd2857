#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "ops/detail/dispatch.h"
#include "ops/detail/optional.h"

// LibTorch's dispatcher takes the arguments of an op one by one, our functions
// take a struct with names. Such a struct lists its members once, in the order
// of the schema:
//
//   struct DropoutArguments {
//     at::Tensor x;
//     Dropout dropout;
//
//     template <typename Self>
//     static auto members(Self& self) {
//       return std::tie(self.x, self.dropout);
//     }
//   };
//
// A member is one argument or another such struct, whose members stand in its
// place. From that list follow the call of an op (call_op) and the function
// that is registered as its kernel (registered<>); the types are compared with
// the schema when the library is loaded.
namespace ordered_gnn::detail {

/// The members of a struct of arguments; specialised for structs of public
/// headers, which know nothing of ops.
template <typename T>
struct Members {
  template <typename Self>
  static auto of(Self& self) {
    return T::members(self);
  }
};

/// How the dispatcher passes one argument; no `type` for a struct of several.
template <typename T>
struct Passed {};
template <>
struct Passed<at::Tensor> {
  using type = const at::Tensor&;
};
template <>
struct Passed<optional<at::Tensor>> {
  using type = const optional<at::Tensor>&;
};
template <>
struct Passed<at::TensorList> {
  using type = at::TensorList;
};
template <>
struct Passed<at::ArrayRef<double>> {
  using type = at::ArrayRef<double>;
};
template <>
struct Passed<int64_t> {
  using type = int64_t;
};
template <>
struct Passed<double> {
  using type = double;
};
template <>
struct Passed<bool> {
  using type = bool;
};

template <typename T, typename = void>
constexpr bool kIsOneArgument = false;
template <typename T>
constexpr bool kIsOneArgument<T, std::void_t<typename Passed<T>::type>> = true;

/// References to the single arguments in a struct, in order.
template <typename T>
auto flat(T& value) {
  using Plain = std::remove_const_t<T>;
  if constexpr (kIsOneArgument<Plain>) {
    return std::tie(value);
  } else {
    return std::apply(
        [](auto&... member) { return std::tuple_cat(flat(member)...); },
        Members<Plain>::of(value));
  }
}

/// What follows from the single arguments of a struct.
template <typename Result, typename Arguments, typename Flat>
struct FlatCall;
template <typename Result, typename Arguments, typename... One>
struct FlatCall<Result, Arguments, std::tuple<One&...>> {
  using Signature = Result(typename Passed<One>::type...);

  template <Result (*kernel)(const Arguments&)>
  static Result call(typename Passed<One>::type... one) {
    Arguments arguments;
    flat(arguments) = std::tie(one...);
    return kernel(arguments);
  }
};
template <typename Result, typename Arguments>
using FlatCallOf =
    FlatCall<Result, Arguments, decltype(flat(std::declval<Arguments&>()))>;

template <typename Kernel>
struct KernelOfStruct;
template <typename Result, typename Arguments>
struct KernelOfStruct<Result (*)(const Arguments&)> {
  using Taken = Arguments;
  using Given = Result;
  using Flat = FlatCallOf<Result, Arguments>;
};

/// A kernel that takes a struct, in the form that TORCH_LIBRARY_IMPL takes.
template <auto kernel>
constexpr auto registered =  // NOLINT(readability-identifier-naming)
    &KernelOfStruct<decltype(kernel)>::Flat::template call<kernel>;

/// A kernel whose results are all there: those that it leaves undefined are
/// left_out(). The first of them always is defined.
template <auto kernel>
typename KernelOfStruct<decltype(kernel)>::Given whole(
    const typename KernelOfStruct<decltype(kernel)>::Taken& arguments) {
  auto results = kernel(arguments);
  std::apply(
      [](const at::Tensor& first, auto&... others) {
        ((others = others.defined() ? others : left_out(first)), ...);
      },
      results);
  return results;
}

/// registered<>, for ops that programs are traced through.
template <auto kernel>
constexpr auto registered_whole =  // NOLINT(readability-identifier-naming)
    registered<whole<kernel>>;

/// Calls the registered op `ordered_gnn::<name>`. `function` is the one that
/// does so for others; it tells the types.
template <auto function>
auto call_op(const char* name,
             const typename KernelOfStruct<decltype(function)>::Taken& given) {
  using Kernel = KernelOfStruct<decltype(function)>;
  static const auto op = find_op<typename Kernel::Flat::Signature>(
      (std::string("ordered_gnn::") + name).c_str());
  return std::apply([](const auto&... one) ->
                    typename Kernel::Given { return op.call(one...); },
                    flat(given));
}

}  // namespace ordered_gnn::detail
