#pragma once
#include <cstdint>

#include "ops/cpu/kernels/vector.h"

// Internal linkage throughout: the copies for different instruction sets must
// not be merged.
namespace ordered_gnn::kernels {

using Float4 = SimdOf<float, 16>::Type;

struct Square4 {
  Float4 row[4];
};

static inline Square4 transposed(const Square4& in) {
  const Float4 a = __builtin_shufflevector(in.row[0], in.row[1], 0, 4, 1, 5);
  const Float4 b = __builtin_shufflevector(in.row[0], in.row[1], 2, 6, 3, 7);
  const Float4 c = __builtin_shufflevector(in.row[2], in.row[3], 0, 4, 1, 5);
  const Float4 d = __builtin_shufflevector(in.row[2], in.row[3], 2, 6, 3, 7);
  return {{__builtin_shufflevector(a, c, 0, 1, 4, 5),
           __builtin_shufflevector(a, c, 2, 3, 6, 7),
           __builtin_shufflevector(b, d, 0, 1, 4, 5),
           __builtin_shufflevector(b, d, 2, 3, 6, 7)}};
}

/// out[c][r] = in[r][c] for r < rows and c < columns; strides are those of r
/// in `in` and of c in `out`.
template <typename T>
static inline void transpose_rest(const T* in, int64_t in_stride, int64_t rows,
                                  int64_t columns, T* out, int64_t out_stride) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      out[c * out_stride + r] = in[r * in_stride + c];
    }
  }
}

static inline void transpose_block(const double* in, int64_t in_stride,
                                   int64_t rows, int64_t columns, double* out,
                                   int64_t out_stride) {
  transpose_rest(in, in_stride, rows, columns, out, out_stride);
}

static inline void transpose_block(const float* in, int64_t in_stride,
                                   int64_t rows, int64_t columns, float* out,
                                   int64_t out_stride) {
  const int64_t whole_rows = rows / 4 * 4, whole_columns = columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += 4) {
    for (int64_t c = 0; c < whole_columns; c += 4) {
      const float* const from = in + r * in_stride + c;
      float* const to = out + c * out_stride + r;
      const Square4 square = transposed(
          {{load<16>(from), load<16>(from + in_stride),
            load<16>(from + 2 * in_stride), load<16>(from + 3 * in_stride)}});
      for (int i = 0; i < 4; ++i) store<16>(to + i * out_stride, square.row[i]);
    }
  }
  transpose_rest(in + whole_columns, in_stride, whole_rows,
                 columns - whole_columns, out + whole_columns * out_stride,
                 out_stride);
  transpose_rest(in + whole_rows * in_stride, in_stride, rows - whole_rows,
                 columns, out + whole_rows, out_stride);
}

#if defined(__AVX512F__)

/// Four gates of 16, from `first` on, each in four lanes. In registers
/// throughout: a narrow store would hold up the wide load behind it.
template <int first>
static inline Vector<float> four_times(const Vector<float>& g) {
  return __builtin_shufflevector(g, g, first, first, first, first, first + 1,
                                 first + 1, first + 1, first + 1, first + 2,
                                 first + 2, first + 2, first + 2, first + 3,
                                 first + 3, first + 3, first + 3);
}

/// The transposes of the four squares that lie side by side in four rows.
static inline void transpose_squares(const Vector<float>* in,
                                     Vector<float>* out) {
  const auto low = [](const Vector<float>& a, const Vector<float>& b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9,
                                   25, 12, 28, 13, 29);
  };
  const auto high = [](const Vector<float>& a, const Vector<float>& b) {
    return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11,
                                   27, 14, 30, 15, 31);
  };
  const auto front = [](const Vector<float>& a, const Vector<float>& b) {
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24,
                                   25, 12, 13, 28, 29);
  };
  const auto back = [](const Vector<float>& a, const Vector<float>& b) {
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26,
                                   27, 14, 15, 30, 31);
  };
  const Vector<float> a = low(in[0], in[1]), b = high(in[0], in[1]);
  const Vector<float> c = low(in[2], in[3]), d = high(in[2], in[3]);
  out[0] = front(a, c);
  out[1] = back(a, c);
  out[2] = front(b, d);
  out[3] = back(b, d);
}

/// The sums of 16 gates over four columns each.
static inline Vector<float> fold_four(const float* wide) {
  const Vector<float> in[4] = {load(wide), load(wide + 16), load(wide + 32),
                               load(wide + 48)};
  Vector<float> t[4];
  transpose_squares(in, t);
  const Vector<float> sums = (t[0] + t[1]) + (t[2] + t[3]);
  // Gate 4 i + j is that of square j of row i.
  return __builtin_shufflevector(sums, sums, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
                                 14, 3, 7, 11, 15);
}

#endif

/// wide[c * repeat + j] = gate[c].
template <typename T>
static inline void expand_gate(const T* gate, int64_t gates, int64_t repeat,
                               T* wide) {
  int64_t c = 0;
  if constexpr (sizeof(T) == 4) {
#if defined(__AVX512F__)
    for (; repeat == 4 && c + 16 <= gates; c += 16) {
      const Vector<float> g = load(gate + c);
      float* const to = wide + c * 4;
      store(to, four_times<0>(g));
      store(to + 16, four_times<4>(g));
      store(to + 32, four_times<8>(g));
      store(to + 48, four_times<12>(g));
    }
#endif
    for (; repeat == 4 && c + 4 <= gates; c += 4) {
      const Float4 g = load<16>(gate + c);
      store<16>(wide + c * 4, __builtin_shufflevector(g, g, 0, 0, 0, 0));
      store<16>(wide + c * 4 + 4, __builtin_shufflevector(g, g, 1, 1, 1, 1));
      store<16>(wide + c * 4 + 8, __builtin_shufflevector(g, g, 2, 2, 2, 2));
      store<16>(wide + c * 4 + 12, __builtin_shufflevector(g, g, 3, 3, 3, 3));
    }
  }
  for (; c < gates; ++c) {
    for (int64_t j = 0; j < repeat; ++j) wide[c * repeat + j] = gate[c];
  }
}

/// sums[c] = sum of wide[c * repeat .. (c + 1) * repeat).
template <typename T>
static inline void fold_gate(const T* wide, int64_t gates, int64_t repeat,
                             T* sums) {
  int64_t c = 0;
  if constexpr (sizeof(T) == 4) {
#if defined(__AVX512F__)
    for (; repeat == 4 && c + 16 <= gates; c += 16) {
      store(sums + c, fold_four(wide + c * 4));
    }
#endif
    for (; repeat == 4 && c + 4 <= gates; c += 4) {
      const T* const from = wide + c * 4;
      const Square4 t = transposed({{load<16>(from), load<16>(from + 4),
                                     load<16>(from + 8), load<16>(from + 12)}});
      store<16>(sums + c, (t.row[0] + t.row[1]) + (t.row[2] + t.row[3]));
    }
  }
  for (; c < gates; ++c) {
    T sum = T(0);
    for (int64_t j = 0; j < repeat; ++j) sum += wide[c * repeat + j];
    sums[c] = sum;
  }
}

}  // namespace ordered_gnn::kernels
