#include "scale/ranks/row_moves.h"

#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>

namespace ordered_gnn::scale {
namespace {

template <typename T>
T* values_of(const at::Tensor& tensor, int64_t first) {
  return static_cast<T*>(tensor.data_ptr()) + first;
}

// Calls work with a value of the type that a matrix has and one of that on the
// wire. Bits of the same size are moved whatever they mean.
template <typename Work>
void with_types(const at::Tensor& matrix, const at::Tensor& message,
                const Work& work) {
  if (matrix.scalar_type() != message.scalar_type()) {
    TORCH_CHECK(matrix.scalar_type() == at::kFloat &&
                message.scalar_type() == at::kBFloat16);
    work(float(), c10::BFloat16());
  } else if (matrix.element_size() == 4) {
    work(uint32_t(), uint32_t());
  } else {
    TORCH_CHECK(matrix.element_size() == 8);
    work(uint64_t(), uint64_t());
  }
}

}  // namespace

void pack_row(const RowLayout& layout, const at::Tensor& matrix, int64_t row,
              const at::Tensor& message, int64_t place) {
  const int64_t dim = matrix.size(1);
  with_types(matrix, message, [&](auto value, auto on_wire) {
    using Value = decltype(value);
    using OnWire = decltype(on_wire);
    const Value* const in = values_of<Value>(matrix, row * dim);
    OnWire* const out = values_of<OnWire>(message, layout.begin(place));
    if constexpr (std::is_same_v<Value, OnWire>) {
      if (layout.is_whole()) {
        std::memcpy(out, in, static_cast<size_t>(dim) * sizeof(Value));
        return;
      }
    }
    layout.for_row(place, [&](int64_t column, int64_t element) {
      out[element] = static_cast<OnWire>(in[column]);
    });
  });
}

void unpack_row(const RowLayout& layout, const at::Tensor& message,
                int64_t place, const at::Tensor& matrix, int64_t row) {
  const int64_t dim = matrix.size(1);
  with_types(matrix, message, [&](auto value, auto on_wire) {
    using Value = decltype(value);
    using OnWire = decltype(on_wire);
    const OnWire* const in = values_of<OnWire>(message, layout.begin(place));
    Value* const out = values_of<Value>(matrix, row * dim);
    if constexpr (std::is_same_v<Value, OnWire>) {
      if (layout.is_whole()) {
        std::memcpy(out, in, static_cast<size_t>(dim) * sizeof(Value));
        return;
      }
    }
    if (!layout.is_whole()) std::fill(out, out + dim, Value());
    layout.for_row(place, [&](int64_t column, int64_t element) {
      out[column] = static_cast<Value>(in[element]);
    });
  });
}

void copy_row(const at::Tensor& from, int64_t row, const at::Tensor& to,
              int64_t place, at::ScalarType type_on_wire) {
  const int64_t dim = from.size(1);
  if (type_on_wire != from.scalar_type()) {
    const float* const in = values_of<float>(from, row * dim);
    float* const out = values_of<float>(to, place * dim);
    for (int64_t d = 0; d < dim; ++d) {
      out[d] = static_cast<float>(c10::BFloat16(in[d]));
    }
    return;
  }
  const auto bytes = dim * static_cast<int64_t>(from.element_size());
  std::memcpy(values_of<char>(to, place * bytes),
              values_of<char>(from, row * bytes), static_cast<size_t>(bytes));
}

}  // namespace ordered_gnn::scale
