#include <benchmark/benchmark.h>

#include <string>

#include "core/simd.h"
#include "micro/benches.h"
#include "micro/comparison.h"
#include "ordered_gnn/core/parallel.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("threads",
                              std::to_string(ordered_gnn::num_threads()));
  benchmark::AddCustomContext("simd",
                              to_string(ordered_gnn::core::simd_level()));
  benchmark::AddCustomContext("blas", ordered_gnn::blas_name());
  ordered_gnn::bench::add_mean_aggregate();
  ordered_gnn::bench::add_ordered_gate();
  ordered_gnn::bench::add_feature_linear();
  ordered_gnn::bench::add_edge_sums();
  ordered_gnn::bench::add_stored_rows();
  ordered_gnn::bench::add_machine_shares();
  ordered_gnn::bench::add_csv_load();
  ordered_gnn::bench::add_npz_load();
  ordered_gnn::bench::add_safetensors();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
