#include "scale/ranks/row_moves.h"

#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "ops/cpu/kernels/kept_row.h"

namespace ordered_gnn::scale {
namespace {

// Calls work with a value of the type that a matrix has and one of that on the
// wire. Bits of the same size are moved whatever they mean.
template <typename Work>
void with_types(const at::Tensor& matrix, at::ScalarType on_wire,
                const Work& work) {
  if (matrix.scalar_type() != on_wire) {
    TORCH_CHECK(matrix.scalar_type() == at::kFloat && on_wire == at::kBFloat16);
    work(float(), c10::BFloat16());
  } else if (matrix.element_size() == 4) {
    work(uint32_t(), uint32_t());
  } else {
    TORCH_CHECK(matrix.element_size() == 8);
    work(uint64_t(), uint64_t());
  }
}

template <typename T>
T* values_of(const at::Tensor& tensor) {
  return static_cast<T*>(tensor.data_ptr());
}

template <typename Value, typename OnWire>
void pack_row(const RowLayout& layout, int64_t place, const Value* row,
              OnWire* out) {
  if constexpr (std::is_same_v<Value, uint32_t> &&
                std::is_same_v<OnWire, uint32_t>) {
    ORDERED_GNN_SIMD_CALL(
        compact_row(layout.kept(place), layout.dim(), row, out));
  } else {
    layout.for_row(place, [&](int64_t column, int64_t element) {
      out[element] = static_cast<OnWire>(row[column]);
    });
  }
}

template <typename Value, typename OnWire>
void unpack_row(const RowLayout& layout, int64_t place, const OnWire* in,
                Value* row) {
  if constexpr (std::is_same_v<Value, uint32_t> &&
                std::is_same_v<OnWire, uint32_t>) {
    ORDERED_GNN_SIMD_CALL(
        spread_row(layout.kept(place), layout.dim(), in, row));
  } else {
    std::fill(row, row + layout.dim(), Value());
    layout.for_row(place, [&](int64_t column, int64_t element) {
      row[column] = static_cast<Value>(in[element]);
    });
  }
}

template <typename From, typename To>
void convert_row(const From* from, int64_t dim, To* to) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, static_cast<size_t>(dim) * sizeof(To));
  } else {
    for (int64_t d = 0; d < dim; ++d) to[d] = static_cast<To>(from[d]);
  }
}

}  // namespace

void pack_rows(const RowLayout& layout, const at::Tensor& matrix,
               const std::vector<PartRoutes::Pack>& packs,
               const at::Tensor& message) {
  const int64_t dim = matrix.size(1);
  with_types(matrix, message.scalar_type(), [&](auto value, auto on_wire) {
    const auto* const in = values_of<decltype(value)>(matrix);
    auto* const out = values_of<decltype(on_wire)>(message);
    for (const PartRoutes::Pack& pack : packs) {
      auto* const place = out + layout.begin(pack.place);
      if (layout.is_whole()) {
        convert_row(in + pack.row * dim, dim, place);
      } else {
        pack_row(layout, pack.place, in + pack.row * dim, place);
      }
    }
  });
}

void unpack_rows(const RowLayout& layout, const at::Tensor& message,
                 TakeRun takes, const at::Tensor& matrix) {
  const int64_t dim = matrix.size(1);
  with_types(matrix, message.scalar_type(), [&](auto value, auto on_wire) {
    const auto* const in = values_of<decltype(on_wire)>(message);
    auto* const out = values_of<decltype(value)>(matrix);
    for (const auto* take = takes.first; take != takes.last; ++take) {
      const auto* const place = in + layout.begin(take->row);
      if (layout.is_whole()) {
        convert_row(place, dim, out + take->slot * dim);
      } else {
        unpack_row(layout, take->row, place, out + take->slot * dim);
      }
    }
  });
}

void copy_rows(const at::Tensor& from, TakeRun takes, const at::Tensor& matrix,
               at::ScalarType type_on_wire) {
  const int64_t dim = matrix.size(1);
  with_types(matrix, type_on_wire, [&](auto value, auto on_wire) {
    using Value = decltype(value);
    using OnWire = decltype(on_wire);
    const auto* const in = values_of<Value>(from);
    auto* const out = values_of<Value>(matrix);
    for (const auto* take = takes.first; take != takes.last; ++take) {
      const Value* const row = in + take->row * dim;
      Value* const slot = out + take->slot * dim;
      if constexpr (std::is_same_v<Value, OnWire>) {
        convert_row(row, dim, slot);
      } else {
        for (int64_t d = 0; d < dim; ++d) {
          slot[d] = static_cast<Value>(static_cast<OnWire>(row[d]));
        }
      }
    }
  });
}

}  // namespace ordered_gnn::scale
