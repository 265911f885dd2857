#include <ATen/Functions.h>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "core/affixes.h"
#include "data/formats/npz/dataset.h"
#include "micro/bench_folder.h"
#include "micro/benches.h"

namespace ordered_gnn::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kNodes = 1000000;
constexpr int64_t kEdges = 10000000;
constexpr int64_t kFeatures = 128;

RawDataset million_nodes() {
  RawDataset raw;
  raw.name = "million";
  raw.num_nodes = kNodes;
  raw.num_classes = 10;
  raw.edges = at::randint(kNodes, {2, kEdges}, at::kLong);
  raw.labels = at::randint(raw.num_classes, {kNodes}, at::kLong);
  raw.features = NodeFeatures::dense(at::randn({kNodes, kFeatures}));
  return raw;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a program needs at least: new memory, and read() into it.
double seconds_to_read(const fs::path& file) {
  const size_t size = static_cast<size_t>(fs::file_size(file));
  const Clock::time_point start = Clock::now();
  const std::unique_ptr<char[]> bytes(new char[size]);
  const int descriptor = ::open(file.c_str(), O_RDONLY);
  size_t used = 0;
  while (used < size) {
    const ssize_t count = ::read(descriptor, bytes.get() + used, size - used);
    if (count <= 0) throw std::runtime_error("cannot read " + file.string());
    used += static_cast<size_t>(count);
  }
  ::close(descriptor);
  benchmark::DoNotOptimize(bytes[size / 2]);
  return seconds_since(start);
}

// A line of /proc/self/status, in bytes.
double memory(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view rest = line;
    if (core::take_prefix(rest, key + ":")) {
      return 1024 * std::stod(std::string(rest));
    }
  }
  return 0;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void load(benchmark::State& state, core::NpzWriter::Compression compression) {
  const BenchFolder folder;
  const fs::path file = folder.path() / "million.npz";
  data::write_npz_dataset(file, million_nodes(), compression);
  const double before = memory("VmRSS");
  double reading = 1e9;
  double loading = 1e9;
  double peak = 0;
  // In turns, so that both meet the same load on the machine.
  for (auto _ : state) {
    state.PauseTiming();
    reading = std::min(reading, seconds_to_read(file));
    reset_peak();
    state.ResumeTiming();
    const Clock::time_point start = Clock::now();
    const RawDataset raw = data::load_npz_dataset(file);
    loading = std::min(loading, seconds_since(start));
    peak = std::max(peak, memory("VmHWM") - before);
  }
  const double data = 8.0 * (2 * kEdges + kNodes) + 4.0 * kNodes * kFeatures;
  state.counters["read_s"] = reading;
  state.counters["load/read"] = loading / reading;
  state.counters["peak/data"] = peak / data;
}

void add(const char* name, core::NpzWriter::Compression compression) {
  benchmark::RegisterBenchmark(
      name, [=](benchmark::State& state) { load(state, compression); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime()
      ->Iterations(5);
}

}  // namespace

void add_npz_load() {
  add("npz_load/stored", core::NpzWriter::Compression::stored);
  add("npz_load/deflated", core::NpzWriter::Compression::deflated);
}

}  // namespace ordered_gnn::bench
