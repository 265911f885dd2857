#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/cuda/kernels/storage.h"
#include "ops/cuda/kernels/warp.cuh"

// A warp works on a row in spans of 256 columns, eight per lane, held in
// registers. The lane's columns come in packs of V neighbours, one load of up
// to 16 bytes each; consecutive lanes own consecutive packs, so a warp's load
// is one run of memory. Rows of up to 256 columns are read once; longer rows
// are walked span by span and read again where a second pass needs them.
namespace ordered_gnn::cuda {

constexpr int kPerLane = 8;
constexpr int kSpan = kPerLane * kWarp;

/// Elements of a 16-byte load.
template <typename T>
constexpr int kVector = 16 / static_cast<int>(sizeof(T));

template <typename T, int V>
struct alignas(sizeof(T) * V) Pack {
  T x[V];
};

template <typename T>
__device__ __forceinline__ T to_compute(T x) {
  return x;
}
__device__ __forceinline__ float to_compute(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <typename S>
__device__ __forceinline__ S to_storage(Compute<S> x) {
  if constexpr (std::is_same_v<S, __nv_bfloat16>) {
    return __float2bfloat16_rn(x);
  } else {
    return x;
  }
}

/// V neighbours as they are stored, in pieces of up to 16 bytes. Kept like
/// this, values that are on their way need no more registers than they have
/// bytes; two bfloat16 share a word, which the compiler would not do by itself.
template <typename S, int V>
struct Raw {
  static constexpr bool kPaired = sizeof(S) == 2 && V % 2 == 0;
  using Word = std::conditional_t<kPaired, uint32_t, S>;
  static constexpr int kWords = kPaired ? V / 2 : V;
  static constexpr int kPiece = kWords < kVector<Word> ? kWords : kVector<Word>;
  static constexpr int kPieces = kWords / kPiece;
  Pack<Word, kPiece> piece[kPieces];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) piece[i] = Pack<Word, kPiece>{};
  }
  __device__ __forceinline__ void load(const S* from) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      piece[i] = reinterpret_cast<const Pack<Word, kPiece>*>(from)[i];
    }
  }
  __device__ __forceinline__ void store(S* to) const {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      reinterpret_cast<Pack<Word, kPiece>*>(to)[i] = piece[i];
    }
  }
  __device__ __forceinline__ Word& word(int i) {
    return piece[i / kPiece].x[i % kPiece];
  }
  __device__ __forceinline__ void set(const Compute<S>* from) {
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      if constexpr (kPaired) {
        const __nv_bfloat162 pair =
            __floats2bfloat162_rn(from[2 * i], from[2 * i + 1]);
        memcpy(&word(i), &pair, sizeof(pair));
      } else {
        word(i) = to_storage<S>(from[i]);
      }
    }
  }
  __device__ __forceinline__ Compute<S> operator[](int k) const {
    if constexpr (kPaired) {
      const uint32_t bits = piece[k / 2 / kPiece].x[k / 2 % kPiece];
      return __uint_as_float(k % 2 == 0 ? bits << 16 : bits & 0xffff0000u);
    } else {
      return to_compute(piece[k / kPiece].x[k % kPiece]);
    }
  }
};

/// V neighbours of type S as the type they are computed in.
template <int V, typename S>
__device__ __forceinline__ void load_pack(const S* from, Compute<S>* to) {
  Raw<S, V> raw;
  raw.load(from);
#pragma unroll
  for (int k = 0; k < V; ++k) to[k] = raw[k];
}

template <int V, typename S>
__device__ __forceinline__ void store_pack(S* to, const Compute<S>* from) {
  Raw<S, V> raw;
  raw.set(from);
  raw.store(to);
}

/// As store_pack(), but the first to leave the L2 cache: for results larger
/// than the cache, beside which something else is to stay in it.
template <int V, typename S>
__device__ __forceinline__ void stream_pack(S* to, const Compute<S>* from) {
  Raw<S, V> raw;
  raw.set(from);
  if constexpr (sizeof(raw.piece[0]) < 16) {
    raw.store(to);
  } else {
#pragma unroll
    for (int i = 0; i < Raw<S, V>::kPieces; ++i) {
      uint4 bits;
      memcpy(&bits, &raw.piece[i], sizeof(bits));
      __stcs(reinterpret_cast<uint4*>(to) + i, bits);
    }
  }
}

/// Calls f(slot, column) for the first slot of every pack of this lane that
/// lies in the row. `dim` is a multiple of V, so a pack is in or out as a
/// whole.
template <int V, typename F>
__device__ __forceinline__ void for_packs(int base, int dim, const F& f) {
#pragma unroll
  for (int i = 0; i < kPerLane / V; ++i) {
    const int column = base + (i * kWarp + lane_id()) * V;
    if (column < dim) f(i * V, column);
  }
}

/// The lane's columns of a span as they are stored; zeros past the end of the
/// row.
template <int V, typename S>
struct RawTile {
  Raw<S, V> pack[kPerLane / V];

  __device__ __forceinline__ void load(const S* row, int base, int dim) {
#pragma unroll
    for (int i = 0; i < kPerLane / V; ++i) pack[i].clear();
    for_packs<V>(base, dim,
                 [&](int j, int column) { pack[j / V].load(row + column); });
  }
  __device__ __forceinline__ Compute<S> operator[](int j) const {
    return pack[j / V][j % V];
  }
};

/// The lane's columns of a span; slots past the end of the row are zero.
template <int V, typename S>
__device__ __forceinline__ void load_tile(const S* row, int base, int dim,
                                          Compute<S> (&x)[kPerLane]) {
#pragma unroll
  for (int j = 0; j < kPerLane; ++j) x[j] = Compute<S>(0);
  for_packs<V>(base, dim,
               [&](int j, int column) { load_pack<V>(row + column, x + j); });
}

/// The warps' parts of shared memory, kSpan elements each.
template <typename T>
struct WarpParts {
  T* own;          // of this warp
  const T* first;  // of warp 0
  int stride;      // elements from one to the next
};

/// Adds up the warps' sums of a span's columns in the order of the warps and
/// stores them: out[base + c] = sum over warps. All threads of the block must
/// call it.
template <int V, typename T>
__device__ __forceinline__ void store_column_sums(const T (&sums)[kPerLane],
                                                  const WarpParts<T>& parts,
                                                  int base, int dim, T* out) {
#pragma unroll
  for (int i = 0; i < kPerLane / V; ++i) {
#pragma unroll
    for (int k = 0; k < V; ++k) {
      parts.own[(i * kWarp + lane_id()) * V + k] = sums[i * V + k];
    }
  }
  __syncthreads();
  const int columns = dim - base < kSpan ? dim - base : kSpan;
  for (int c = static_cast<int>(threadIdx.x); c < columns;
       c += static_cast<int>(blockDim.x)) {
    T total = T(0);
    for (int w = 0; w < warps_per_block(); ++w) {
      total += parts.first[w * parts.stride + c];
    }
    out[base + c] = total;
  }
  __syncthreads();  // the caller may use the parts again
}

}  // namespace ordered_gnn::cuda
