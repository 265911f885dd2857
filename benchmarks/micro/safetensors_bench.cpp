#include <ATen/Functions.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/io/safetensors/checksum.h"
#include "core/io/safetensors/header.h"
#include "micro/benches.h"

namespace ordered_gnn::bench {
namespace {

constexpr int64_t kHeaderBytes = 100000000;
constexpr int64_t kTensors = 200000;
constexpr int64_t kWeights = int64_t{1} << 28;

// A header of 100 MB; its names in order, or each far from the one before.
std::string long_header(bool in_order) {
  std::string text = "{";
  for (int64_t i = 0; i < kTensors; ++i) {
    const int64_t number = in_order ? i : i * 7919 % kTensors;
    text +=
        fmt::format(R"({}"layers.{:0430}.weight":{{"dtype":"U8","shape":[1],)"
                    R"("data_offsets":[{},{}]}})",
                    i == 0 ? "" : ",", number, number, number + 1);
  }
  text.resize(std::max<size_t>(text.size(), kHeaderBytes - 1), ' ');
  return text + "}";
}

void parse(benchmark::State& state, bool in_order) {
  const std::string text = long_header(in_order);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        core::parse_safetensors_header(text, kTensors, "bench"));
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(text.size()));
}

void hash(benchmark::State& state) {
  core::TensorFile content;
  content.tensors["weights"] = at::zeros({kWeights}, at::kFloat);
  for (auto _ : state) {
    benchmark::DoNotOptimize(core::content_sha256(content, "bench"));
  }
  state.SetBytesProcessed(state.iterations() * 4 * kWeights);
}

template <typename Run>
void add_run(const char* name, const Run& run) {
  benchmark::RegisterBenchmark(name, run)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Iterations(3);
}

}  // namespace

void add_safetensors() {
  add_run("safetensors/header",
          [](benchmark::State& state) { parse(state, true); });
  add_run("safetensors/header_mixed",
          [](benchmark::State& state) { parse(state, false); });
  add_run("safetensors/checksum", hash);
}

}  // namespace ordered_gnn::bench
