#pragma once
#include "ops/cpu/kernels/bf16/vectors.h"

// For kernel sources alone, as vector.h. Internal linkage throughout: the
// copies for different instruction sets must not be merged.
namespace ordered_gnn::kernels {

/// 16 columns of a row at a time.
struct WholeColumns {
  static constexpr int64_t kCount = kVectorWidth<float>;
  using Value = Vector<float>;

  template <typename T>
  static inline Value get(const T* from) {
    return load_row(from);
  }
  template <typename T>
  static inline void put(T* to, const Value& value) {
    store_row(to, value);
  }
  /// value where bit i of `bits` is set for column i, zeros elsewhere.
  static inline Value kept(uint64_t bits, const Value& value) {
    constexpr FloatBits kLanes = {1u << 0,  1u << 1,  1u << 2,  1u << 3,
                                  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                                  1u << 8,  1u << 9,  1u << 10, 1u << 11,
                                  1u << 12, 1u << 13, 1u << 14, 1u << 15};
    const FloatBits all = static_cast<uint32_t>(bits) - FloatBits{};
    return (all & kLanes) != 0 ? value : Value{};
  }
};

/// One of the columns that do not fill a vector.
struct OneColumn {
  static constexpr int64_t kCount = 1;
  using Value = float;

  template <typename T>
  static inline Value get(const T* from) {
    return computed(*from);
  }
  template <typename T>
  static inline void put(T* to, const Value& value) {
    set_stored(*to, value);
  }
  static inline Value kept(uint64_t bits, const Value& value) {
    return bits & 1 ? value : 0.0F;
  }
};

/// Calls body(columns, d) for all columns of a row: those that fill vectors,
/// then the others.
template <typename Body>
static inline void for_columns(int64_t dim, const Body& body) {
  int64_t d = 0;
  for (; d + WholeColumns::kCount <= dim; d += WholeColumns::kCount) {
    body(WholeColumns{}, d);
  }
  for (; d < dim; ++d) body(OneColumn{}, d);
}

/// A sum over the columns of a row: by lane, and of those behind.
struct ColumnSum {
  Vector<float> lanes = {};
  float rest = 0;

  inline void add(const Vector<float>& value) { lanes += value; }
  inline void add(float value) { rest += value; }
  inline float total() const { return sum_of<float>(lanes) + rest; }
};

}  // namespace ordered_gnn::kernels
