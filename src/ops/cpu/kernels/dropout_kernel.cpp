// Work split: runs of elements that start at a multiple of the group.
// Memory: one read and one write per element; the mask is never stored.
// Determinism: the mask is a function of the element's index alone.
#include "ops/cpu/kernels/dropout_kernel.h"

#include <algorithm>

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int kBlocks = kDropoutGroup / 8;

// Sixteen Philox blocks side by side, one per vector lane.
inline void philox_words(uint64_t key, uint64_t first, uint64_t high,
                         uint32_t (&words)[4][kBlocks]) {
  uint32_t c0[kBlocks], c1[kBlocks], c2[kBlocks], c3[kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    c0[i] = static_cast<uint32_t>(first + i);
    c1[i] = static_cast<uint32_t>((first + i) >> 32);
    c2[i] = static_cast<uint32_t>(high);
    c3[i] = static_cast<uint32_t>(high >> 32);
  }
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kBlocks; ++i) {
      const uint64_t product0 = uint64_t{0xD2511F53u} * c0[i];
      const uint64_t product1 = uint64_t{0xCD9E8D57u} * c2[i];
      c0[i] = static_cast<uint32_t>(product1 >> 32) ^ c1[i] ^ k0;
      c1[i] = static_cast<uint32_t>(product1);
      c2[i] = static_cast<uint32_t>(product0 >> 32) ^ c3[i] ^ k1;
      c3[i] = static_cast<uint32_t>(product0);
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int i = 0; i < kBlocks; ++i) {
    words[0][i] = c0[i];
    words[1][i] = c1[i];
    words[2][i] = c2[i];
    words[3][i] = c3[i];
  }
}

inline void group_mask(const DropoutMask& mask, int64_t begin,
                       uint16_t (&kept)[kDropoutGroup]) {
  uint32_t words[4][kBlocks];
  philox_words(mask.key, static_cast<uint64_t>(begin) / 8, mask.counter_high,
               words);
  for (int i = 0; i < kBlocks; ++i) {
    for (int w = 0; w < 4; ++w) {
      kept[i * 8 + 2 * w] = (words[w][i] & 0xffffu) >= mask.threshold;
      kept[i * 8 + 2 * w + 1] = (words[w][i] >> 16) >= mask.threshold;
    }
  }
}

}  // namespace

template <typename T>
void dropout(const DropoutMask& mask, const T* x, T* out, int64_t begin,
             int64_t end) {
  const T scale = static_cast<T>(mask.scale);
  uint16_t kept[kDropoutGroup];
  for (int64_t group = begin; group < end; group += kDropoutGroup) {
    group_mask(mask, group, kept);
    const int64_t size = std::min(kDropoutGroup, end - group);
    for (int64_t i = 0; i < size; ++i) {
      out[group + i] = kept[i] ? x[group + i] * scale : T(0);
    }
  }
}

template void dropout(const DropoutMask&, const float*, float*, int64_t,
                      int64_t);
template void dropout(const DropoutMask&, const double*, double*, int64_t,
                      int64_t);

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
