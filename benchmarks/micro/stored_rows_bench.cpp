#include <ATen/Functions.h>
#include <benchmark/benchmark.h>

#include <vector>

#include "core/simd.h"
#include "micro/benches.h"
#include "micro/pubmed_shape.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// What storing the states between layers in bfloat16 could save at most: the
// gather of the neighbours' rows is the part of a layer that waits for memory.
namespace ordered_gnn::bench {
namespace {

#if defined(__x86_64__)

#define ORDERED_GNN_AVX512 __attribute__((target("avx512f,avx512bw")))
constexpr int kVectors = kWidth / 16;

ORDERED_GNN_AVX512 inline __m512 load16(const float* row) {
  return _mm512_loadu_ps(row);
}

ORDERED_GNN_AVX512 inline __m512 load16(const uint16_t* row) {
  const __m256i half =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
  return _mm512_castsi512_ps(_mm512_maskz_slli_epi32(
      0xffff, _mm512_maskz_cvtepu16_epi32(0xffff, half), 16));
}

template <typename Stored>
ORDERED_GNN_AVX512 void gather(const Adjacency& in, const Stored* rows,
                               float* out) {
  const int64_t* const rowptr = in.rowptr.data_ptr<int64_t>();
  const int32_t* const col = in.col.data_ptr<int32_t>();
  for (int64_t v = 0; v < kNodes; ++v) {
    __m512 sum[kVectors];
#pragma GCC unroll 16
    for (int i = 0; i < kVectors; ++i) sum[i] = _mm512_setzero_ps();
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      const Stored* const row = rows + int64_t{col[e]} * kWidth;
#pragma GCC unroll 16
      for (int i = 0; i < kVectors; ++i) sum[i] += load16(row + i * 16);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kVectors; ++i) {
      _mm512_storeu_ps(out + v * kWidth + i * 16, sum[i]);
    }
  }
}

template <typename Stored>
void gather_bench(benchmark::State& state) {
  const std::vector<Stored> rows(kNodes * kWidth, Stored(1));
  std::vector<float> out(kNodes * kWidth);
  for (auto _ : state) {
    gather(pubmed_graph().in(), rows.data(), out.data());
    benchmark::ClobberMemory();
  }
  const int64_t edges = pubmed_graph().num_edges();
  state.SetItemsProcessed(state.iterations() * edges);
}

#endif

}  // namespace

void add_stored_rows() {
#if defined(__x86_64__)
  if (core::best_simd_level() != core::SimdLevel::avx512) return;
  benchmark::RegisterBenchmark("gather_rows/f32", gather_bench<float>);
  benchmark::RegisterBenchmark("gather_rows/bf16", gather_bench<uint16_t>);
#endif
}

}  // namespace ordered_gnn::bench
