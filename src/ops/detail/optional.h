#pragma once
#include <ATen/Functions.h>
#include <ATen/core/Tensor.h>
#include <torch/version.h>

#include <optional>
#if TORCH_VERSION_MAJOR < 2
#include <c10/util/Optional.h>
#endif

namespace ordered_gnn::detail {

// LibTorch's own optional became std::optional in the 2.x series.
#if TORCH_VERSION_MAJOR < 2
template <typename T>
using optional = c10::optional<T>;
#else
template <typename T>
using optional = std::optional<T>;
#endif

/// An undefined tensor as nothing, the form in which ops take it.
inline optional<at::Tensor> when_defined(const at::Tensor& tensor) {
  return tensor.defined() ? optional<at::Tensor>(tensor)
                          : optional<at::Tensor>();
}

/// The other way round.
inline at::Tensor value_or_undefined(const optional<at::Tensor>& tensor) {
  return tensor.has_value() ? *tensor : at::Tensor();
}

/// The result of an op that stands for none: programs that PyTorch traces keep
/// no missing results, and a schema that says Tensor promises one.
inline at::Tensor left_out(const at::Tensor& like) {
  return at::empty({0}, like.options());
}

/// Whether a result that is a matrix was not left_out(). Asks for no length,
/// which is not known while a program is traced.
inline bool is_matrix(const at::Tensor& result) { return result.dim() == 2; }

/// Contiguous, or undefined when there is none.
inline at::Tensor packed(const optional<at::Tensor>& tensor) {
  return tensor.has_value() ? tensor->contiguous() : at::Tensor();
}

}  // namespace ordered_gnn::detail
