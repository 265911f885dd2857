// Work split: the caller gives a block of rows; tiles of a few rows and 16
// columns.
// Memory: a strip of b goes by once for every few rows.
// Determinism: the sums of product.h, whatever the instruction set.
#include "ops/cpu/kernels/bf16/product.h"

#include "ops/cpu/kernels/bf16/vectors.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

// As many as leave their sums in registers.
#if defined(__AVX512F__)
constexpr int kRows = 8;
#else
constexpr int kRows = 2;
#endif

// Numbers (k, k + 1) of a row of a, zeros behind the depth.
inline uint32_t pair_at(const Bf16* row, int64_t k, int64_t depth) {
  if (k + 1 < depth) {
    uint32_t pair;
    std::memcpy(&pair, row + k, sizeof(pair));
    return pair;
  }
  const uint32_t even = k < depth ? row[k].bits : 0;
  return even;
}

#if defined(__AVX2__)

// What the instruction does with small numbers, on this thread while it lives.
class SmallAreZeros {
 public:
  SmallAreZeros() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }
  ~SmallAreZeros() { _mm_setcsr(before_); }
  SmallAreZeros(const SmallAreZeros&) = delete;
  SmallAreZeros& operator=(const SmallAreZeros&) = delete;

 private:
  const unsigned before_;
};

inline Vector<float> even_of(const FloatBits& pairs) {
  return (Vector<float>)(pairs << 16);
}
inline Vector<float> odd_of(const FloatBits& pairs) {
  return (Vector<float>)(pairs & 0xffff0000u);
}

// kLanes rows of one tile. Products are exact: with FMA or without it, an
// addition is rounded once.
template <int kLanes>
inline void add_tile(const Bf16Product& job, int64_t row, int64_t k,
                     const Bf16* b, float* const c[kLanes]) {
  Vector<float> even[kLanes] = {}, odd[kLanes] = {};
  for (int64_t pair = 0; pair < kTileDepth16 / 2; ++pair) {
    const FloatBits pairs =
        load(reinterpret_cast<const uint32_t*>(b) + pair * kTileColumns16);
    const Vector<float> b_even = even_of(pairs), b_odd = odd_of(pairs);
#pragma GCC unroll 8
    for (int r = 0; r < kLanes; ++r) {
      const uint32_t a =
          pair_at(job.a + (row + r) * job.a_row, k + 2 * pair, job.depth);
      const FloatBits both = a - FloatBits{};
      even[r] += even_of(both) * b_even;
      odd[r] += odd_of(both) * b_odd;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kLanes; ++r) {
    store(c[r], load(c[r]) + (even[r] + odd[r]));
  }
}

#else

struct SmallAreZeros {};

constexpr double kHalfBelowNormal = 0x1.ffffffp-127;

inline double large(float x) {
  const double wide = x;
  const bool is_small = wide < 0x1p-126 && wide > -0x1p-126;
  return is_small ? __builtin_copysign(0.0, wide) : wide;
}

// a * b + c, rounded once: products and sums of these fit a double.
inline float fused(double a, double b, float c) {
  const double sum = a * b + large(c);
  const bool is_small = sum < kHalfBelowNormal && sum > -kHalfBelowNormal;
  const auto result = static_cast<float>(sum);
  return is_small ? __builtin_copysignf(0.0f, result) : result;
}

template <int kLanes>
inline void add_tile(const Bf16Product& job, int64_t row, int64_t k,
                     const Bf16* b, float* const c[kLanes]) {
  for (int r = 0; r < kLanes; ++r) {
    float even[kTileColumns16] = {}, odd[kTileColumns16] = {};
    for (int64_t pair = 0; pair < kTileDepth16 / 2; ++pair) {
      const uint32_t a =
          pair_at(job.a + (row + r) * job.a_row, k + 2 * pair, job.depth);
      const double a_even = large(widened({static_cast<uint16_t>(a)}));
      const double a_odd = large(widened({static_cast<uint16_t>(a >> 16)}));
      const Bf16* const from = b + pair * kTileDepth16;
      for (int64_t n = 0; n < kTileColumns16; ++n) {
        even[n] = fused(a_even, large(widened(from[2 * n])), even[n]);
        odd[n] = fused(a_odd, large(widened(from[2 * n + 1])), odd[n]);
      }
    }
    for (int64_t n = 0; n < kTileColumns16; ++n) {
      c[r][n] = fused(1, fused(1, large(even[n]), odd[n]), c[r][n]);
    }
  }
}

#endif

// A strip of 16 columns of kLanes rows, all of the depth. Columns that are not
// there, and sums that are to be rounded, are summed in a room of their own.
template <int kLanes>
inline void add_strip(const Bf16Product& job, int64_t row, int64_t n,
                      const Bf16* strip) {
  alignas(64) float room[kLanes * kTileColumns16] = {};
  const int64_t rest = job.columns - n;
  const int64_t columns = rest < kTileColumns16 ? rest : kTileColumns16;
  const bool is_in_place = columns == kTileColumns16 && job.rounded == nullptr;
  float* c[kLanes];
  for (int r = 0; r < kLanes; ++r) {
    float* const target = job.c + (row + r) * job.c_row + n;
    c[r] = is_in_place ? target : room + r * kTileColumns16;
    for (int64_t i = 0; !is_in_place && i < columns; ++i) c[r][i] = target[i];
  }
  for (int64_t k = 0; k < job.depth; k += kTileDepth16) {
    add_tile<kLanes>(job, row, k, strip + k * kTileColumns16, c);
  }
  for (int r = 0; !is_in_place && r < kLanes; ++r) {
    if (job.rounded != nullptr) {
      Bf16* const target = job.rounded + (row + r) * job.rounded_row + n;
      for (int64_t i = 0; i < columns; ++i) target[i] = narrowed(c[r][i]);
      continue;
    }
    float* const target = job.c + (row + r) * job.c_row + n;
    for (int64_t i = 0; i < columns; ++i) target[i] = c[r][i];
  }
}

}  // namespace

void add_bf16_product(const Bf16Product& job) {
  [[maybe_unused]] const SmallAreZeros small;
  const int64_t strip_size = packed_size(job.depth, kTileColumns16);
  for (int64_t n = 0; n < job.columns; n += kTileColumns16) {
    const Bf16* const strip = job.b + n / kTileColumns16 * strip_size;
    int64_t row = 0;
    for (; row + kRows <= job.rows; row += kRows) {
      add_strip<kRows>(job, row, n, strip);
    }
    for (; row < job.rows; ++row) add_strip<1>(job, row, n, strip);
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
