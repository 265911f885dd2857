// Training over parts of a graph on one GPU, held against that on the CPU.
#include <cmath>

#include "cuda/cuda_support.h"
#include "scale/engines/nccl.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// Of losses, relative; of parameters after four epochs, the length of the
// difference to that of the parameters: Adam steps by the sign of gradients
// that are hardly more than rounding.
constexpr double kFirstLoss = 1e-5;
constexpr double kParameters = 2e-3;

double distance(const NodeModel& a, const NodeModel& b) {
  const training::TensorMap other = training::named_state(b);
  double difference = 0, length = 0;
  for (const auto& [name, tensor] : training::named_state(a)) {
    const at::Tensor x = tensor.cpu().to(at::kDouble);
    const at::Tensor y = other.at(name).cpu().to(at::kDouble);
    difference += (x - y).square().sum().item<double>();
    length += y.square().sum().item<double>();
  }
  return std::sqrt(difference / length);
}

RunOptions on_gpu(RunOptions options) {
  options.execution.device = Device::cuda;
  return options;
}

class CudaParts : public CudaTest {
 protected:
  std::filesystem::path parts(int64_t count, const std::string& more = "") {
    return write_test_parts(parts_data(more), count, dir_ / "g.parts");
  }

  // The same run on either device.
  void expect_parity_of_runs(const std::filesystem::path& folder,
                             RunOptions options) {
    // Falls from epoch to epoch: the best is the last, on both.
    options.train.metric = Metric::log_loss;
    const PartsOutcome cpu = train_locally(folder, options, 1);
    const PartsOutcome gpu = train_locally(folder, on_gpu(options), 1);
    ASSERT_EQ(gpu.losses.size(), cpu.losses.size());
    EXPECT_NEAR(gpu.losses[0], cpu.losses[0],
                kFirstLoss * std::abs(cpu.losses[0]));
    const double off = distance(*gpu.trained.model, *cpu.trained.model);
    EXPECT_LT(off, kParameters);
    RecordProperty("distance", std::to_string(off));
  }

  TempDir dir_;
};

TEST_F(CudaParts, TrainAsOnTheCpu) {
  for (const int64_t count : {1, 3, 4}) {
    SCOPED_TRACE(count);
    expect_parity_of_runs(parts(count, "&directed=true"), small_run());
  }
}

TEST_F(CudaParts, TrainOtherNetworksAsOnTheCpu) {
  const auto folder = parts(3);
  RunOptions options = small_run();
  options.network.aggregator = Aggregator::gcn;
  options.network.transform = Transform::linear;
  expect_parity_of_runs(folder, options);
  for (const char* model : {"gcn", "graphsage", "mlp"}) {
    SCOPED_TRACE(model);
    expect_parity_of_runs(folder, small_run(model));
  }
}

TEST_F(CudaParts, GiveTheSameBitsForAnyNumberOfRanks) {
  const auto folder = parts(4);
  const RunOptions options = on_gpu(small_run());
  const PartsOutcome one = train_locally(folder, options, 1);
  for (const int64_t ranks : {1, 2, 3}) {
    SCOPED_TRACE(ranks);
    const PartsOutcome some = train_locally(folder, options, ranks);
    EXPECT_EQ(some.losses, one.losses);
    EXPECT_EQ(first_difference(*some.trained.model, *one.trained.model), "");
    // Whole rows travel: what is sent is what the formula says.
    EXPECT_EQ(static_cast<double>(some.wire.bytes), some.wire.expected);
    EXPECT_EQ(some.wire.bytes > 0, ranks > 1);
  }
}

TEST_F(CudaParts, RowsOnTheWireMayBeRounded) {
  const auto folder = parts(4);
  const RunOptions options = on_gpu(small_run());
  const auto train = [&](int64_t ranks, scale::Wire wire) {
    return train_locally(folder, options, ranks, {}, /*split=*/0, wire);
  };
  const PartsOutcome exact = train(2, scale::Wire::fp32);
  const PartsOutcome rounded = train(2, scale::Wire::bf16);
  EXPECT_NE(rounded.losses, exact.losses);
  for (size_t i = 0; i < exact.losses.size(); ++i) {
    EXPECT_NEAR(rounded.losses[i], exact.losses[i], 0.02);
  }
  EXPECT_EQ(2 * rounded.wire.bytes, exact.wire.bytes);
  EXPECT_EQ(train(1, scale::Wire::bf16).losses, rounded.losses);
  // As the CPU rounds them.
  RunOptions on_cpu = options;
  on_cpu.execution.device = Device::cpu;
  const PartsOutcome cpu =
      train_locally(folder, on_cpu, 1, {}, 0, scale::Wire::bf16);
  EXPECT_NEAR(rounded.losses[0], cpu.losses[0], 1e-3);
}

TEST_F(CudaParts, GoOnWithAnotherNumberOfRanks) {
  const auto folder = parts(3);
  RunOptions options = on_gpu(small_run());
  options.train.epochs = 6;
  const PartsOutcome unbroken = train_locally(folder, options, 1);
  const PartsOutcome resumed =
      stop_and_resume(folder, options, dir_ / "run", 2, 3);
  EXPECT_EQ(first_difference(*resumed.trained.model, *unbroken.trained.model),
            "");
}

TEST_F(CudaParts, PredictAsOnTheCpu) {
  const auto folder = parts(3);
  RunOptions options = small_run();
  const PartsOutcome trained = train_locally(folder, options, 1);
  const PartsRead read(folder, options, scale::Wire::fp32);
  const auto predicted = [&](const RunOptions& run_options, int64_t ranks) {
    std::vector<at::Tensor> logits;
    scale::run_local(ranks, folder, read.manifest, run_options,
                     [&](scale::Group& group, int64_t threads) {
                       scale::PartsRun run(
                           {group, folder, read.manifest, run_options, threads},
                           read.scored);
                       run.predict(
                           *trained.trained.model,
                           [&](int64_t /*part*/, const at::Tensor& rows) {
                             logits.push_back(rows.clone());
                           });
                       logits.push_back(run.score(*trained.trained.model));
                     });
    return torch::cat(logits);
  };
  const at::Tensor cpu = predicted(options, 1);
  for (const int64_t ranks : {1, 2}) {
    const at::Tensor gpu = predicted(on_gpu(options), ranks);
    EXPECT_TRUE(gpu.is_cpu());
    EXPECT_TRUE(agrees(gpu, cpu)) << ranks;
  }
}

TEST_F(CudaParts, ByNcclAtOneRankTrainAsAlone) {
  if (!scale::has_nccl()) GTEST_SKIP() << "this build has no NCCL";
  const auto folder = parts(3);
  RunOptions options = on_gpu(small_run());
  const PartsOutcome alone = train_locally(folder, options, 1);
  const PartsRead read(folder, options, scale::Wire::fp32);
  const std::unique_ptr<scale::Group> group = scale::make_nccl_group({});
  scale::PartsRun run({*group, folder, read.manifest, options, /*threads=*/2},
                      read.scored);
  const Trained trained = run.train(0, options, {});
  EXPECT_EQ(first_difference(*trained.model, *alone.trained.model), "");
}

TEST_F(CudaParts, NcclCarriesBytesOfEitherDevice) {
  if (!scale::has_nccl()) GTEST_SKIP() << "this build has no NCCL";
  const std::unique_ptr<scale::Group> group = scale::make_nccl_group({});
  EXPECT_EQ(group->size(), 1);
  const at::Tensor sent = uniform({5, 3}, 1).to(at::kBFloat16);
  const auto bytes = static_cast<int64_t>(sent.nbytes());
  for (const at::Device device : {at::Device(at::kCPU), at::Device("cuda:0")}) {
    at::Tensor received = torch::zeros_like(sent).to(device);
    group->exchange(sent.to(device), {bytes}, received, {bytes});
    EXPECT_TRUE(torch::equal(received.cpu(), sent)) << device;
    at::Tensor word = torch::full({3}, 7.5, torch::device(device));
    group->broadcast(word);
    EXPECT_TRUE(torch::equal(word.cpu(), torch::full({3}, 7.5))) << device;
  }
}

TEST_F(CudaParts, RefuseWhatIsComputedOnCpus) {
  const auto folder = parts(3);
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  RunOptions options = on_gpu(small_run());
  EXPECT_NO_THROW(scale::require_parts_options(options, manifest));
  options.train.batch = "parts:2";
  EXPECT_TRUE(contains(error_of([&] {
                         scale::require_batch_ranks(options, 1,
                                                    scale::Wire::fp32);
                       }),
                       "batches of parts are computed on CPUs"));
  options.train.batch = "whole";
  options.execution.math = Math::tf32;
  EXPECT_TRUE(contains(
      error_of([&] { scale::require_parts_options(options, manifest); }),
      "--math tf32 does not work over parts"));
}

}  // namespace
}  // namespace ordered_gnn
