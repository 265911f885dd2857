// A GPU without enough memory, and how much of it a training step takes.
#include "cuda/training_support.h"
#include "lab/bench/epoch_bench.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/prediction.h"
#include "support/graphs.h"

namespace ordered_gnn {
namespace {

// A million nodes without edges and with one feature: little until a state of
// 2^16 columns, 275 GB, is asked for.
class CudaMemory : public CudaTrainingTest {
 protected:
  static constexpr int64_t kNodes = int64_t{1} << 20;

  CudaMemory() {
    wide_.execution.device = Device::cuda;
    wide_.network.hidden = int64_t{1} << 16;
    wide_.network.chunk = int64_t{1} << 13;
    wide_.network.layers = 1;
  }

  static NodeDataset many_nodes() {
    NodeDataset data;
    data.name = "many nodes";
    data.graph = no_edges(kNodes);
    data.features = NodeFeatures::dense(torch::ones({kNodes, 1}));
    data.labels = torch::arange(kNodes, at::kLong).remainder(3);
    data.num_classes = 3;
    const at::Tensor nodes = torch::arange(90, at::kLong);
    data.splits = {{nodes.narrow(0, 0, 30), nodes.narrow(0, 30, 30),
                    nodes.narrow(0, 60, 30)}};
    return data;
  }

  void expect_sizes(const std::string& message) {
    EXPECT_TRUE(contains(message, "the GPU is out of memory"));
    EXPECT_TRUE(contains(message, "274.9 GB more were needed"));
    EXPECT_TRUE(contains(message, " GB were free"));
    EXPECT_TRUE(contains(message, "--hidden"));
  }

  RunOptions wide_ = tiny_run();
};

TEST_F(CudaMemory, ARunThatDoesNotFitNamesTheSizes) {
  const NodeDataset data = many_nodes();
  expect_sizes(error_of([&] { train_split(data, 0, wide_); }));
  // The next run finds all that the failed one held.
  EXPECT_EQ(train(data_, options_).result.epochs, 12);
}

TEST_F(CudaMemory, APredictionThatDoesNotFitNamesTheSizes) {
  const NodeDataset data = to_device(many_nodes(), at::kCUDA);
  const auto model =
      create_model(wide_.model, {1, data.num_classes, data.features.kind()},
                   wide_.network, /*seed=*/1);
  model->to(at::kCUDA);
  expect_sizes(error_of([&] { predict(*model, data); }));
}

class CudaStepMemory : public CudaTest {
 protected:
  static constexpr int64_t kNodes = 100000;

  // Most that a step of four layers holds besides the data, in matrices of
  // [nodes, 256] numbers of the type that rows are stored in.
  static double rows_of_step(const std::string& math) {
    lab::EpochBenchOptions options;
    options.run.execution.device = Device::cuda;
    options.run.execution.math = parse_math(math);
    options.run.network.layers = 4;
    options.run.network.mlp_layers = 3;
    options.run.network.hidden = 256;
    options.run.network.chunk = 4;
    options.repeats = options.warmup = 1;
    options.floor = options.unfused = false;
    options.run.data.data = "synthetic:csbm?nodes=" + std::to_string(kNodes) +
                            "&degree=8&features=128&classes=40";
    const NodeDataset data = load_dataset(options.run.data);
    const lab::EpochBench bench = lab::bench_epoch(data, options);
    const int64_t row = 256 * (math == "bf16" ? 2 : 4);
    return static_cast<double>(bench.peak_bytes - bench.base_bytes) /
           static_cast<double>(kNodes * row);
  }
};

// While the last layer, which has half of the rows, is undone: of the three
// before it two states, two means and a quarter each for three logits and two
// gates; two gradients of half the rows, one of all, and that of a gate: not
// quite eight. Class scores, row statistics, lists and parameters take little.
TEST_F(CudaStepMemory, IsThatOfTheRowsThatBackwardNeeds) {
  EXPECT_LT(rows_of_step("fp32"), 9.0);
}

// cuBLAS's workspace and the lists count for more rows here.
TEST_F(CudaStepMemory, InBFloat16IsThatAndWhatCublasTakes) {
  EXPECT_LT(rows_of_step("bf16"), 11.0);
}

}  // namespace
}  // namespace ordered_gnn
