#include "lab/bench/epoch_bench.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "lab/bench/gemm_floor.h"
#include "lab/bench/gpu_epoch_bench.h"
#include "lab/bench/median.h"
#include "lab/bench/torch_composition.h"
#include "lab/runs/run_order.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"
#include "train/placement.h"
#include "train/train_step.h"

namespace ordered_gnn::lab {
namespace {

using Clock = std::chrono::steady_clock;

// Runs of the unfused model that are timed at most: it is the slow one.
constexpr size_t kUnfusedRepeats = 3;

struct Timed {
  std::function<void()> run;
  size_t most_repeats;
  std::vector<double> ms;
};

void run_timed(Timed& part) {
  if (part.ms.size() >= part.most_repeats) return;
  const auto start = Clock::now();
  part.run();
  part.ms.push_back(
      std::chrono::duration<double, std::milli>(Clock::now() - start).count());
}

int64_t peak_of(int64_t repeats, const std::function<void()>& body) {
  reset_peak_memory();
  for (int64_t i = 0; i < repeats; ++i) body();
  return peak_memory_bytes();
}

// An ordered_gnn network with our optimiser, taking one step per call.
class OurEpoch {
 public:
  OurEpoch(const NodeDataset& data, const RunOptions& options)
      : lr_(options.train.lr),
        model_(create_model(options.model,
                            {data.features.num_features(), data.num_classes,
                             data.features.kind()},
                            options.network, options.train.seed)),
        step_(*model_, data, data.splits.at(0), options.train) {}

  void operator()() { step_.run(++epoch_, lr_); }

 private:
  const double lr_;
  int64_t epoch_ = 0;
  std::shared_ptr<NodeModel> model_;
  training::TrainStep step_;
};

}  // namespace

EpochBench bench_epoch(const NodeDataset& data,
                       const EpochBenchOptions& options) {
  validate(options.run);
  if (data.splits.empty()) {
    fail("'{}' has no split to train on; add --split-set random:48/32/20",
         data.name);
  }
  require_trainable(data, data.splits[0], "split 0");
#if ORDERED_GNN_HAS_CUDA
  if (options.run.execution.device == Device::cuda) {
    return bench_epoch_on_gpu(data, options);
  }
#endif
  const ThreadScope threads(options.run.execution.threads);
  const auto repeats = static_cast<size_t>(options.repeats);
  EpochBench result;
  result.base_bytes = resident_memory_bytes();
  const NodeDataset placed =
      training::place(in_run_order(data, options.run.execution), options.run);
  OurEpoch epoch(placed, options.run);
  result.peak_bytes = peak_of(options.warmup + 1, [&] { epoch(); });

  std::vector<Timed> parts = {{[&] { epoch(); }, repeats, {}}};
  std::unique_ptr<GemmFloor> floor;
  if (options.floor) {
    floor = std::make_unique<GemmFloor>(data, options.run);
    floor->run_whole(num_threads());
    floor->run_own();
    result.gemm_flop = floor->flop();
    parts.push_back({[&] { floor->run_whole(num_threads()); }, repeats, {}});
    parts.push_back({[&] { floor->run_own(); }, repeats, {}});
  }
  std::unique_ptr<TorchComposition> unfused;
  if (options.unfused) {
    const TorchThreads scope(num_threads());
    unfused = std::make_unique<TorchComposition>(data, options.run);
    result.unfused_peak_bytes = peak_of(1, [&] { unfused->step(); });
    parts.push_back({[&] {
                       const TorchThreads inner(num_threads());
                       unfused->step();
                     },
                     std::min(repeats, kUnfusedRepeats),
                     {}});
  }
  for (size_t i = 0; i < repeats; ++i) {
    for (Timed& part : parts) run_timed(part);
  }
  result.ms_per_epoch = median(parts[0].ms);
  if (floor) {
    result.ms_gemm_floor = median(parts[1].ms);
    result.ms_own_products = median(parts[2].ms);
  }
  if (unfused) result.ms_unfused = median(parts.back().ms);
  if (!options.trace.empty()) {
    result.trace = trace_epoch([&] { epoch(); }, options.trace);
  }
  return result;
}

}  // namespace ordered_gnn::lab
