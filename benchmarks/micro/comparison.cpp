#include "micro/comparison.h"

#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::bench {
namespace {

void measure(benchmark::State& state, Side side, const Work& work,
             const Prepare& prepare) {
  const std::function<void()> body = prepare(side);
  // The library keeps LibTorch's own loops serial; the other side needs them.
  const int threads = num_threads();
  if (side == Side::libtorch) at::set_num_threads(threads);
  body();  // builds what is built once, such as transposes
  for (auto _ : state) body();
  set_num_threads(threads);
  state.counters[work.unit] =
      benchmark::Counter(static_cast<double>(work.items),
                         benchmark::Counter::kIsIterationInvariantRate);
  state.SetBytesProcessed(state.iterations() * work.bytes);
}

}  // namespace

void compare(const std::string& name, const Work& work,
             const Prepare& prepare) {
  for (const Side side : {Side::ours, Side::libtorch}) {
    const std::string full =
        name + (side == Side::ours ? "/ours" : "/libtorch");
    benchmark::RegisterBenchmark(
        full.c_str(),
        [=](benchmark::State& state) { measure(state, side, work, prepare); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  }
}

}  // namespace ordered_gnn::bench
