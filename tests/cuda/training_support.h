#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "core/io/file.h"
#include "cuda/cuda_support.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {

/// A run and what it told of its epochs.
struct TrainedRun {
  RunResult result;
  std::vector<EpochReport> reports;

  std::vector<double> losses() const {
    std::vector<double> out;
    for (const EpochReport& report : reports) out.push_back(report.loss);
    return out;
  }
};

inline RunOptions on_device(RunOptions options, const std::string& device) {
  options.execution.device = parse_device(device);
  return options;
}

/// Trains on split 0.
/// @param folder  empty: nothing is written.
inline TrainedRun train(const NodeDataset& data, const RunOptions& options,
                        const std::filesystem::path& folder = {},
                        bool resume = false) {
  TrainedRun run;
  TrainHooks hooks;
  hooks.folder = folder;
  hooks.resume = resume;
  hooks.on_epoch = [&](const EpochReport& report) {
    run.reports.push_back(report);
  };
  run.result = train_split(data, 0, options, hooks);
  return run;
}

/// The same run on either device.
struct RunOnBoth {
  TrainedRun cpu, gpu;
};

/// Losses on the GPU are close to those on the CPU and the same in every run.
inline RunOnBoth train_on_both(const NodeDataset& data,
                               const RunOptions& options) {
  RunOnBoth both{train(data, on_device(options, "cpu")), train(data, options)};
  const std::vector<double> expected = both.cpu.losses();
  const std::vector<double> got = both.gpu.losses();
  EXPECT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    EXPECT_NEAR(got[i], expected[i], 1e-2) << "epoch " << i + 1;
  }
  EXPECT_EQ(train(data, options).losses(), got);
  return both;
}

/// A result without what differs between any two runs.
inline Json lasting(const RunResult& result) {
  Json json = to_json(result);
  for (const char* key :
       {"seconds", "seconds_per_epoch", "peak_bytes", "checkpoint"}) {
    json.erase(key);
  }
  return json;
}

/// Two folders of runs hold the same model and the same metrics, bit for bit.
inline void expect_same_files(const std::filesystem::path& a,
                              const std::filesystem::path& b) {
  for (const char* name : {"model.safetensors", "metrics.jsonl"}) {
    EXPECT_TRUE(core::read_file(a / name) == core::read_file(b / name))
        << b / name;
  }
}

/// tiny_run() on the GPU with a good deal of dropout, and its data.
class CudaTrainingTest : public CudaTest {
 protected:
  CudaTrainingTest() {
    options_.execution.device = Device::cuda;
    options_.network.dropout_theta = 0.3;
    options_.network.dropout_xi = 0.2;
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
};

}  // namespace ordered_gnn
