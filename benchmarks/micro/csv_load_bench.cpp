#include <ATen/Functions.h>
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "data/formats/csv/dataset.h"
#include "micro/bench_folder.h"
#include "micro/benches.h"

namespace ordered_gnn::bench {
namespace {

namespace fs = std::filesystem;

// A graph with no edges and nothing to know about its nodes.
RawDataset bare(int64_t num_nodes) {
  RawDataset raw;
  raw.name = "bench";
  raw.num_nodes = num_nodes;
  raw.num_classes = 5;
  raw.edges = at::empty({2, 0}, at::kLong);
  raw.labels = at::randint(raw.num_classes, {num_nodes}, at::kLong);
  raw.features = NodeFeatures::identity(num_nodes);
  return raw;
}

// Each makes about 100 MB of text in one file.
RawDataset with_edges() {
  RawDataset raw = bare(200000);
  raw.edges = at::randint(raw.num_nodes, {2, 7500000}, at::kLong);
  return raw;
}

RawDataset with_named_edges() {
  RawDataset raw = bare(200000);
  raw.edges = at::randint(raw.num_nodes, {2, 4500000}, at::kLong);
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    raw.node_names.push_back(fmt::format("paper{}", v));
  }
  return raw;
}

RawDataset with_dense_features() {
  RawDataset raw = bare(75000);
  raw.features = NodeFeatures::dense(at::randn({raw.num_nodes, 128}));
  return raw;
}

RawDataset with_sparse_features() {
  constexpr int64_t kPerRow = 50;
  constexpr int64_t kStride = 40;
  RawDataset raw = bare(90000);
  const int64_t entries = raw.num_nodes * kPerRow;
  SparseRows rows;
  rows.rowptr = at::arange(0, entries + 1, kPerRow, at::kLong);
  rows.col = at::empty({entries}, at::kInt);
  int32_t* const col = rows.col.data_ptr<int32_t>();
  for (int64_t e = 0; e < entries; ++e) {
    col[e] =
        static_cast<int32_t>(e % kPerRow * kStride + e / kPerRow % kStride);
  }
  rows.value = at::rand({entries});
  raw.features = NodeFeatures::sparse(std::move(rows), kPerRow * kStride);
  return raw;
}

int64_t folder_size(const fs::path& folder) {
  int64_t bytes = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    bytes += static_cast<int64_t>(file.file_size());
  }
  return bytes;
}

// Per second of CPU time: one thread does it all.
void report(benchmark::State& state, const fs::path& folder) {
  const double megabytes = static_cast<double>(folder_size(folder)) / 1e6;
  state.counters["MB"] = megabytes;
  state.counters["MB/s"] = benchmark::Counter(
      megabytes, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const std::string& name, RawDataset (*generate)()) {
  benchmark::RegisterBenchmark(("csv_load/" + name).c_str(),
                               [generate](benchmark::State& state) {
                                 const BenchFolder folder;
                                 data::write_csv_dataset(folder.path() / "x",
                                                         generate());
                                 for (auto _ : state)
                                   data::load_csv_dataset(folder.path() / "x");
                                 report(state, folder.path() / "x");
                               })
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark(("csv_write/" + name).c_str(),
                               [generate](benchmark::State& state) {
                                 const BenchFolder folder;
                                 const RawDataset raw = generate();
                                 for (auto _ : state)
                                   data::write_csv_dataset(folder.path() / "x",
                                                           raw);
                                 report(state, folder.path() / "x");
                               })
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

void add_csv_load() {
  add("edges", with_edges);
  add("named_edges", with_named_edges);
  add("dense_features", with_dense_features);
  add("sparse_features", with_sparse_features);
}

}  // namespace ordered_gnn::bench
