// What of the machine the kernels get: products against a loop of nothing but
// multiply-adds in registers, sums over neighbours against a loop that only
// reads rows. Both sides are timed in short turns, and the share is the median
// over the turns: what others on the machine take, and the clock that it gives
// its cores, differ from turn to turn more than between the halves of one.
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/simd.h"
#include "lab/bench/median.h"
#include "micro/benches.h"
#include "micro/pubmed_shape.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels/product_kernel.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/ops/mean_aggregate.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ordered_gnn::bench {
namespace {

#if defined(__x86_64__)

#define ORDERED_GNN_WIDE __attribute__((target("avx512f")))
constexpr int64_t kRegisters = 10;  // sums, more than a multiply-add is long
constexpr double kFlopOfStep = 32.0 * kRegisters;

// An element of a sum, so that it is not in vain.
ORDERED_GNN_WIDE inline float first_of(__m512 sum) {
  float values[16];
  _mm512_storeu_ps(values, sum);
  return values[0];
}

// `n` rounds of a multiply-add of every sum.
ORDERED_GNN_WIDE __attribute__((noinline)) float multiply_add(int64_t n) {
  const __m512 a = _mm512_set1_ps(0.999F), b = _mm512_set1_ps(0.001F);
  __m512 s0 = a, s1 = a, s2 = a, s3 = a, s4 = a;
  __m512 s5 = a, s6 = a, s7 = a, s8 = a, s9 = a;
  for (int64_t i = 0; i < n; ++i) {
    // Equal sums would be computed once.
    asm volatile("" : "+v"(s0), "+v"(s1), "+v"(s2), "+v"(s3), "+v"(s4));
    asm volatile("" : "+v"(s5), "+v"(s6), "+v"(s7), "+v"(s8), "+v"(s9));
    s0 = _mm512_fmadd_ps(s0, a, b);
    s1 = _mm512_fmadd_ps(s1, a, b);
    s2 = _mm512_fmadd_ps(s2, a, b);
    s3 = _mm512_fmadd_ps(s3, a, b);
    s4 = _mm512_fmadd_ps(s4, a, b);
    s5 = _mm512_fmadd_ps(s5, a, b);
    s6 = _mm512_fmadd_ps(s6, a, b);
    s7 = _mm512_fmadd_ps(s7, a, b);
    s8 = _mm512_fmadd_ps(s8, a, b);
    s9 = _mm512_fmadd_ps(s9, a, b);
  }
  return first_of(s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7 + s8 + s9);
}

// The sum of rows of 256 floats in the order of `node`, each asked for a few
// ahead.
ORDERED_GNN_WIDE __attribute__((noinline)) float read_rows(const float* rows,
                                                           const int32_t* node,
                                                           int64_t count) {
  constexpr int64_t kAhead = 4;
  constexpr int kVectors = kWidth / 16;
  __m512 sum[kVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kVectors; ++i) sum[i] = _mm512_setzero_ps();
  for (int64_t e = 0; e < count; ++e) {
    const float* const row = rows + int64_t{node[e]} * kWidth;
    const int64_t later = std::min(e + kAhead, count - 1);
    const float* const next = rows + int64_t{node[later]} * kWidth;
#pragma GCC unroll 16
    for (int i = 0; i < kVectors; ++i) {
      __builtin_prefetch(next + i * 16);
      sum[i] = _mm512_add_ps(sum[i], _mm512_loadu_ps(row + i * 16));
    }
  }
  __m512 all = sum[0];
#pragma GCC unroll 16
  for (int i = 1; i < kVectors; ++i) all = _mm512_add_ps(all, sum[i]);
  return first_of(all);
}

// Seconds that a body took: on the clock, and of all its threads on processors,
// which others that use the machine disturb less.
struct Seconds {
  double clock = 0, processors = 0;
};

Seconds timed(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t before = std::clock();
  body();
  Seconds out;
  out.processors = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  out.clock =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return out;
}

// What both sides do, per second: in operations or bytes.
struct Contest {
  std::string unit;
  double of_machine = 0, of_ours = 0;
  std::function<void()> machine, ours;
};

void measure_share(benchmark::State& state, const Contest& contest) {
  const double work = contest.of_ours / contest.of_machine;
  std::vector<double> machine, ours, share, share_cpu;
  contest.machine();
  contest.ours();
  for (auto _ : state) {
    const Seconds theirs = timed(contest.machine);
    const Seconds own = timed(contest.ours);
    state.SetIterationTime(own.clock);
    machine.push_back(contest.of_machine / theirs.clock);
    ours.push_back(contest.of_ours / own.clock);
    share.push_back(work * theirs.clock / own.clock);
    share_cpu.push_back(work * theirs.processors / own.processors);
  }
  state.counters["machine_" + contest.unit] = lab::median(machine) * 1e-9;
  state.counters["ours_" + contest.unit] = lab::median(ours) * 1e-9;
  state.counters["share"] = lab::median(share);
  // With helpers that look for work it would count their looking.
  if (num_threads() == 1) state.counters["share_cpu"] = lab::median(share_cpu);
}

// Products of so many operations against the peak of all tasks, which takes as
// many: of shorter loops the luckiest would be found, of longer ones the mean.
Contest against_peak(int64_t tasks, double operations,
                     std::function<void()> products) {
  Contest out;
  out.unit = "GFLOP/s";
  const auto steps = static_cast<int64_t>(
      operations / static_cast<double>(tasks) / kFlopOfStep);
  out.of_machine = kFlopOfStep * static_cast<double>(steps * tasks);
  out.machine = [tasks, steps] {
    parallel_blocks(tasks, [steps](int64_t) {
      benchmark::DoNotOptimize(multiply_add(steps));
    });
  };
  out.of_ours = operations;
  out.ours = std::move(products);
  return out;
}

// A block for every task, which is in the cache after the first of its
// products.
Contest block_products(int64_t tasks) {
  constexpr int64_t kSide = 256, kTimes = 8;
  const double operations =
      2.0 * kSide * kSide * kSide * kTimes * static_cast<double>(tasks);
  const auto products = [tasks, a = noise({tasks, kSide, kSide}),
                         b = noise({tasks, kSide, kSide}),
                         c = at::zeros({tasks, kSide, kSide})] {
    parallel_blocks(tasks, [&](int64_t i) {
      kernels::Product<float> job;
      job.rows = job.columns = job.depth = kSide;
      job.a = a.data_ptr<float>() + i * kSide * kSide;
      job.b = b.data_ptr<float>() + i * kSide * kSide;
      job.c = c.data_ptr<float>() + i * kSide * kSide;
      job.a_row = job.b_row = job.c_row = kSide;
      job.a_depth = 1;
      for (int64_t k = 0; k < kTimes; ++k) {
        kernels::simd_avx512::add_product(job);
      }
    });
  };
  return against_peak(tasks, operations, products);
}

// The gates of a layer: tall, as the ops call it.
Contest tall_product(int64_t tasks) {
  constexpr int64_t kRows = 20000, kDepth = 512;
  const auto product = [x = noise({kRows, kDepth}),
                        weight = noise({kGates, kDepth}),
                        c = at::zeros({kRows, kGates})] {
    at::Tensor to = c;
    cpu::add_product(x, weight, to);
  };
  return against_peak(tasks, 2.0 * kRows * kDepth * kGates, product);
}

// A graph of N nodes that each hear ten others, anywhere.
Contest neighbour_sums(int64_t nodes, int64_t tasks) {
  constexpr int64_t kDegree = 10;
  // As in the command: else every sum would wait for fresh pages.
  use_recycling_allocator();
  std::mt19937_64 random(1);
  const at::Tensor edges = at::empty({2, nodes * kDegree}, at::kLong);
  int64_t* const sender = edges.data_ptr<int64_t>();
  for (int64_t e = 0; e < nodes * kDegree; ++e) {
    sender[e] = static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
    sender[nodes * kDegree + e] = e / kDegree;
  }
  const Graph graph = Graph::from_edges(nodes, edges);
  const at::Tensor rows = at::ones({nodes, kWidth});
  Contest out;
  out.unit = "GB/s";
  const double bytes =
      static_cast<double>(graph.num_edges() * kWidth) * sizeof(float);
  out.of_machine = out.of_ours = bytes;
  out.machine = [graph, rows, tasks] {
    const int64_t count = graph.num_edges();
    const int64_t share = (count + tasks - 1) / tasks;
    parallel_ranges(count, share, [&](int64_t begin, int64_t end) {
      benchmark::DoNotOptimize(
          read_rows(rows.data_ptr<float>(),
                    graph.in().col.data_ptr<int32_t>() + begin, end - begin));
    });
  };
  out.ours = [graph, rows] {
    const at::NoGradGuard no_grad;
    mean_aggregate(graph, rows);
  };
  return out;
}

void add_share(const std::string& name, int64_t threads,
               const std::function<Contest(int64_t)>& make) {
  const std::string full =
      "share/" + name + "/threads:" + std::to_string(threads);
  benchmark::RegisterBenchmark(full.c_str(),
                               [=](benchmark::State& state) {
                                 const ThreadScope scope(threads);
                                 // Some more tasks than threads: a thread may
                                 // be held up.
                                 measure_share(state, make(4 * threads));
                               })
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

#endif

}  // namespace

void add_machine_shares() {
#if defined(__x86_64__)
  if (core::best_simd_level() != core::SimdLevel::avx512) return;
  for (const int64_t threads : {1, 2, 4, 8, 16}) {
    if (threads > available_cores()) break;
    add_share("product_256x256x256", threads, block_products);
    add_share("product_20000x512x64", threads, tall_product);
    add_share("neighbours_of_20000", threads,
              [](int64_t tasks) { return neighbour_sums(20000, tasks); });
    add_share("neighbours_of_200000", threads,
              [](int64_t tasks) { return neighbour_sums(200000, tasks); });
  }
#endif
}

}  // namespace ordered_gnn::bench
