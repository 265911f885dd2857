#include "lab/bench/gpu_epoch_bench.h"

#include <c10/cuda/CUDAStream.h>

#include <chrono>

#include "lab/bench/gpu_floor.h"
#include "lab/bench/median.h"
#include "lab/runs/run_order.h"
#include "ordered_gnn/nn/models.h"
#include "train/cuda/device_memory.h"
#include "train/cuda/run_stream.h"
#include "train/cuda/training_graph.h"
#include "train/math_scope.h"
#include "train/placement.h"
#include "train/train_step.h"

namespace ordered_gnn::lab {
namespace {

using Clock = std::chrono::steady_clock;

void wait() { c10::cuda::getCurrentCUDAStream().synchronize(); }

std::shared_ptr<NodeModel> model_on_gpu(const NodeDataset& placed,
                                        const RunOptions& options) {
  const ModelShape shape = {placed.features.num_features(), placed.num_classes,
                            placed.features.kind()};
  std::shared_ptr<NodeModel> model =
      create_model(options.model, shape, options.network, options.train.seed);
  training::place(*model, options);
  return model;
}

// Milliseconds of every replay, the host waiting for each.
std::vector<double> time_replays(training::TrainingGraph& graph,
                                 int64_t repeats) {
  std::vector<double> ms;
  for (int64_t i = 0; i < repeats; ++i) {
    const auto start = Clock::now();
    graph.replay();
    wait();
    ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start)
                     .count());
  }
  return ms;
}

void time_epochs(const NodeDataset& placed, const EpochBenchOptions& options,
                 EpochBench& result) {
  TrainOptions train = options.run.train;
  train.epochs = options.warmup + options.repeats;
  result.base_bytes = training::device_bytes();
  training::reset_device_peak();
  const auto model = model_on_gpu(placed, options.run);
  training::TrainStep step(*model, placed, placed.splits.at(0), train);
  training::TrainingGraph graph(*model, step, train,
                                storage_of(options.run.execution));
  graph.capture();
  time_replays(graph, options.warmup);
  result.peak_bytes = training::device_peak_bytes();
  result.ms_per_epoch = median(time_replays(graph, options.repeats));
}

}  // namespace

EpochBench bench_epoch_on_gpu(const NodeDataset& data,
                              const EpochBenchOptions& options) {
  const training::MathScope math(options.run.execution);
  EpochBench result;
  GpuFloor floor;
  training::with_memory_report([&] {
    const training::RunStream stream;
    const NodeDataset placed =
        training::place(in_run_order(data, options.run.execution), options.run);
    time_epochs(placed, options, result);
    if (options.floor) floor = measure_gpu_floor(placed, options.run);
  });
  if (!options.floor) return result;
  result.ms_gemm_floor = floor.ms_products;
  result.ms_floor = floor.ms();
  result.copy_bytes_per_second = floor.copy_bytes_per_second;
  result.gemm_flop = floor.gemm_flop;
  return result;
}

}  // namespace ordered_gnn::lab
